/** One sample of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const suffixes = /_(bucket|sum|count)$/;

/** Reads the text format (0.0.4) strictly. @throws Error for what a scraper would refuse: unknown lines, samples without a type, two equal samples */
export function parsePrometheus(text: string): ReadonlyMap<string, ParsedFamily> {
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  const seen = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  // Only a line feed ends a line here; what `.` takes for other ends of lines may stand in labels and help.
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/s.exec(line) ?? [];
    if (word === 'HELP') {
      if (families.has(name)) throw new Error(`Two families ${name}`);
      families.set(name, { type: '', help: rest, samples: [] });
    } else if (word === 'TYPE') {
      const family = families.get(name);
      if (family === undefined || family.type !== '' || family.samples.length > 0) throw new Error(`TYPE of ${name}`);
      family.type = rest;
    } else {
      const sample = sampleOf(line);
      const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (seen.has(key)) throw new Error(`Two equal samples: ${line}`);
      seen.add(key);
      const family = families.get(sample.name) ?? families.get(sample.name.replace(suffixes, ''));
      if (family === undefined || family.type === '') throw new Error(`A sample without a type: ${line}`);
      family.samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): Sample {
  const [, name, , inner = '', value = ''] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? ([-+0-9.eE]+|[Nn]a[Nn]|[-+]Inf)$/s.exec(line) ?? [];
  if (name === undefined) throw new Error(`No sample: ${line}`);
  return { name, labels: labelsOf(inner, line), value: Number(value.replace('Inf', 'Infinity')) };
}

function labelsOf(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [whole, name, value] = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/.exec(rest) ?? [];
    if (whole === undefined || name === undefined || name in labels) throw new Error(`Labels at fault: ${line}`);
    labels[name] = (value ?? '').replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** The value of the one sample with all of these labels. @throws Error when there is none, or more than one */
export function valueIn(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name && Object.entries(labels).every(([key, is]) => sample.labels[key] === is));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${found.length} samples ${name} ${JSON.stringify(labels)}`);
  return only.value;
}
