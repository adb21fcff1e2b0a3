/** The longest name of a model that is looked for: patterns of names must not be fed without end. */
const longest = 255;

const dated = /-(\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{8})$/;

/**
 * The names under which a model may be listed, the closest first: its own; a fine-tuned one (`ft:base:organisation::id`)
 * costs what its base does when fine-tuned; a dated one that has no price of its own what the name without the date does.
 */
export function namesFor(model: string): readonly string[] {
  if (model.length > longest) return [];
  const base = model.startsWith('ft:') ? model.split(':', 2).join(':') : model;
  const undated = base.replace(dated, '');
  return base === model && undated === base ? [model] : [...new Set([model, base, undated])];
}
