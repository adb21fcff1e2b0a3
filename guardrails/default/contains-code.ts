import { check, schema } from 'portcullis/sdk';
import { fencedBlocks } from './fenced-blocks.ts';
import { notParameter, strict } from './parameters.ts';
import { judged } from './verdict.ts';

/** How each language is named behind a fence. */
const names = {
  SQL: ['sql', 'mysql', 'postgres', 'postgresql', 'psql', 'pgsql', 'plpgsql', 'plsql', 'sqlite', 'tsql'],
  Python: ['python', 'py', 'python3', 'py3'],
  TypeScript: ['typescript', 'ts', 'tsx', 'mts', 'cts'],
  JavaScript: ['javascript', 'js', 'jsx', 'mjs', 'cjs'],
  Java: ['java'],
  'C#': ['csharp', 'c#', 'cs'],
  'C++': ['cpp', 'c++', 'cxx', 'cc', 'hpp'],
  C: ['c', 'h'],
  Ruby: ['ruby', 'rb'],
  PHP: ['php'],
  Swift: ['swift'],
  Kotlin: ['kotlin', 'kt', 'kts'],
  Go: ['go', 'golang'],
  Rust: ['rust', 'rs'],
  Scala: ['scala'],
  R: ['r'],
  Perl: ['perl', 'pl'],
  Shell: ['shell', 'sh', 'bash', 'zsh', 'ksh', 'fish', 'console', 'shell-session', 'shellscript'],
  HTML: ['html', 'htm', 'xhtml'],
  CSS: ['css'],
  XML: ['xml', 'svg', 'xsd', 'xslt'],
  JSON: ['json', 'json5', 'jsonc', 'jsonl', 'ndjson'],
  YAML: ['yaml', 'yml'],
  Markdown: ['markdown', 'md'],
  Dockerfile: ['dockerfile', 'docker'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Format = keyof typeof names;
const formats = Object.keys(names) as Format[];
const formatOf = new Map<string, Format>(formats.flatMap((format) => names[format].map((name) => [name, format])));
const maxShown = 50;

export default check({
  title: 'Contains code',
  description: 'Passes when the reply holds a fenced block of code in the language.',
  config: schema.Object({ format: schema.Enum(formats, { description: 'The language.' }), not: notParameter }, strict),
  phases: ['afterRequest'],
  whole: ({ not }) => !not,
  run({ content }, { format, not }) {
    const blocks = fencedBlocks(content);
    const found = new Set(blocks.map(({ language }) => formatOf.get(language) ?? language));
    const holds = found.has(format);
    const explanation =
      blocks.length === 0
        ? 'The reply holds no block of code.'
        : `The reply holds ${holds ? 'a' : 'no'} block of code in ${format}.`;
    const data = { searchedFormat: format, foundFormats: [...found].filter((each) => each !== '').slice(0, maxShown) };
    return judged({ holds, not, explanation, text: content, data });
  },
});
