import { asBoolean, asObjects, asString, GatewayError, type JsonObject } from 'portcullis/sdk';

/** @throws GatewayError `check_failed` unless every safety check has a verdict */
export function isSafe({ safety }: JsonObject): boolean {
  const verdicts = asObjects(safety).map((one) => asBoolean(one.isSafe));
  if (verdicts.length === 0 || verdicts.includes(undefined)) throw missing('safety');
  return verdicts.every((safe) => safe === true);
}

/** Which of the names that were asked for are there. @throws GatewayError `check_failed` unless each has an answer */
export function hits(
  answer: JsonObject,
  list: string,
  name: string,
  flag: string,
  asked: readonly string[],
): readonly string[] {
  const answers = asObjects(answer[list]);
  return asked.filter((wanted) => {
    const found = answers.find((one) => asString(one[name]) === wanted);
    const hit = asBoolean(found?.[flag]);
    if (hit === undefined || (found?.error ?? null) !== null) throw missing(list);
    return hit;
  });
}

/** For information: no greeting is wrong. */
export function greetingsIn({ greetings: answers }: JsonObject): readonly string[] {
  return asObjects(answers)
    .filter((one) => one.isPresent === true)
    .flatMap((one) => asString(one.greeting_type) ?? [])
    .slice(0, 10);
}

function missing(list: string): GatewayError {
  return new GatewayError('check_failed', `Walled AI answered without a verdict on ${list}.`);
}
