import { asNumber, asObject, asObjects, GatewayError, type JsonObject } from 'portcullis/sdk';
import { detectorNames, detectors, type Parameters } from './parameters.ts';

/** What an extraction holds of what was asked for. */
export interface Found {
  /** Names of parameters. */
  readonly guards: readonly string[];
  readonly pii: readonly string[];
  readonly secrets: readonly string[];
}

const languageThreshold = 0.5;

/** @throws GatewayError `check_failed` for scores that are none */
export function foundIn(extraction: JsonObject, given: Parameters): Found {
  const scored = detectorNames.filter((name) => {
    const [group, detector] = detectors[name];
    return given[name] && reaches(scoresIn(extraction, group)[detector], given[`${name}_threshold`]);
  });
  const spoken = given.language && reaches(scoresIn(extraction, 'languages')[given.language_values], languageThreshold);
  const pii = given.pii ? namesIn(extraction, 'PIIs', 'PII', given.pii_categories) : [];
  const secrets = given.secrets ? namesIn(extraction, 'secrets', 'Secret', given.secrets_categories) : [];
  const guards = [
    ...scored,
    ...(spoken ? ['language'] : []),
    ...(pii.length > 0 ? ['pii'] : []),
    ...(secrets.length > 0 ? ['secrets'] : []),
  ];
  return { guards, pii, secrets };
}

/** Acuvity leaves out what it has not found. */
function scoresIn(extraction: JsonObject, group: string): Readonly<Record<string, number>> {
  const scores = asObject(extraction[group] ?? {});
  const entries = Object.entries(scores ?? {}).flatMap(([name, score]): [string, number][] => {
    const number = asNumber(score);
    return number === undefined ? [] : [[name.toLowerCase(), number]];
  });
  if (scores === undefined || entries.length < Object.keys(scores).length)
    throw new GatewayError('check_failed', `Acuvity answered with ${group} that are no scores.`);
  return Object.fromEntries(entries);
}

function reaches(score: number | undefined, threshold: number): boolean {
  return score !== undefined && score >= threshold;
}

/** Some detections have no score in the group, only a place in the text. */
function namesIn(extraction: JsonObject, group: string, type: string, asked: readonly string[]): readonly string[] {
  const placed = asObjects(extraction.detections).filter((detection) => detection.type === type);
  const names = new Set(Object.keys(scoresIn(extraction, group)));
  for (const { name } of placed) if (typeof name === 'string') names.add(name.toLowerCase());
  return asked.filter((name) => names.has(name));
}
