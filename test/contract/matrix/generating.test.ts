import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asString, GatewayError } from 'portcullis/sdk';
import { inferenceRoutes } from '../../../core/http/inference.ts';
import { isStreamed, isSuccess } from './cases.ts';
import { type Cell, cells } from './cells.ts';
import { type ClientFormat, clientFormats, type Heard, type Told } from './client-formats.ts';
import { errorIn, eventsIn } from './events.ts';
import { type Answer, type Asking, askingOf, type Built, outboundFor, replay } from './replay.ts';
import { usageTold } from './wire-usage.ts';

const generating = cells.filter(({ recorded, built: { outbound } }) => {
  const { dialect, endpoint } = outbound.chosen;
  return isSuccess(recorded) && dialect?.kind === 'generation' && endpoint !== 'messagesCountTokens';
});

/** The same answer asked for in a format; undefined where a client of it is sent elsewhere. */
async function askedIn(format: ClientFormat, { recorded, unit, built }: Cell): Promise<Built | undefined> {
  const route = inferenceRoutes.find(({ path, method }) => path === format.path && method === 'post');
  const model = asString(built.exchange.body.model);
  if (route === undefined || model === undefined) return undefined;
  const asking: Asking = {
    ...askingOf(recorded, unit),
    route,
    params: {},
    query: '',
    method: 'POST',
    path: format.path,
    bytes: Buffer.from(JSON.stringify(format.ask(model, isStreamed(recorded)))),
  };
  const headers = { ...asking.headers, 'content-type': 'application/json' };
  const asked = await outboundFor({ ...asking, headers }).catch((error: unknown) => {
    if (GatewayError.is(error) && error.code === 'endpoint_unsupported') return undefined;
    throw error;
  });
  return asked?.outbound.chosen.spec === built.outbound.chosen.spec ? asked : undefined;
}

/** Sizes of chunks that end inside of names, numbers and characters. */
const cuts: readonly (readonly number[])[] = [[1], [7, 13, 2, 41], [64, 3, 5]];

async function heardOf(format: ClientFormat, built: Built, { recorded }: Cell): Promise<Heard> {
  const { answers } = recorded.fixture;
  const { told } = await replay(built, answers);
  assert.equal(told.status, 200, told.text);
  const { outcome } = told;
  if (!isStreamed(recorded)) {
    const heard = format.whole(JSON.parse(told.text));
    checkCounts(heard, outcome.usage());
    return heard;
  }
  assert.equal(errorIn(told.text), undefined);
  const heard = format.streamed(told.text);
  checkCounts(heard, outcome.usage());
  for (const sizes of cuts) {
    const cut = await replay(built, answers, sizes);
    assert.equal(
      cut.told.text.replaceAll('\r\n', '\n'),
      told.text.replaceAll('\r\n', '\n'),
      `cut at ${sizes.join(', ')}`,
    );
  }
  return heard;
}

function checkCounts({ usage }: Heard, counted: { readonly input: number; readonly output: number } | undefined): void {
  if (counted === undefined || usage === undefined) return;
  checkSame({ prompt: counted.input, completion: counted.output }, usage, 'what is counted is what is told');
}

/** Thinking that is left out of what was written is in the sum. */
function checkSame(actual: Told, { prompt, completion, total }: Told, what: string): void {
  const thought = total !== undefined && total > prompt + completion && actual.completion !== completion;
  const written = thought ? total - prompt : completion;
  assert.deepEqual({ prompt: actual.prompt, completion: actual.completion }, { prompt, completion: written }, what);
}

/** Broken off anywhere, a stream ends with its error or, where all is said, well. */
async function checkBroken(format: ClientFormat, built: Built, answers: readonly Answer[]): Promise<void> {
  const [answer] = answers;
  if (answer === undefined) return;
  for (const share of [0.3, 0.6, 0.9]) {
    const bytes = answer.bytes.subarray(0, Math.floor(answer.bytes.length * share));
    const { told } = await replay(built, [{ ...answer, bytes }]);
    if (told.status >= 400 || errorIn(told.text) !== undefined) continue;
    assert.ok(
      format.ends(eventsIn(told.text).at(-1)),
      `broken off at ${share}, it ends with neither an error nor its end`,
    );
  }
}

/** Thinking that is told beside what was written, and not even in the sum. */
const countsThinkingApart: ReadonlySet<string> = new Set(['perplexity-ai: searches']);

async function checkCell(cell: Cell): Promise<void> {
  const { recorded, built } = cell;
  const { answers } = recorded.fixture;
  const [answer] = answers;
  const name = built.outbound.chosen.dialect?.name ?? '';
  const isOne = answer !== undefined && answers.length === 1 && !countsThinkingApart.has(recorded.title);
  const said = isOne ? usageTold(name, answer.bytes) : undefined;
  let first: { readonly format: string; readonly heard: Heard } | undefined;
  for (const format of clientFormats) {
    const asked = await askedIn(format, cell);
    if (asked === undefined) continue;
    try {
      const heard = await heardOf(format, asked, cell);
      if (said !== undefined) {
        assert.ok(heard.usage !== undefined, 'there is usage');
        checkSame(heard.usage, said, 'the usage that the provider tells');
      }
      first ??= { format: format.name, heard };
      assert.equal(heard.text, first.heard.text, `the text that ${first.format} gives`);
      if (isStreamed(recorded)) await checkBroken(format, asked, answers);
    } catch (cause) {
      throw new Error(`${format.name}: ${(cause as Error).message}`, { cause });
    }
  }
  assert.ok(first !== undefined, 'no format leads there');
}

describe('a generated answer is right in every format that clients have', () => {
  for (const cell of generating) it(cell.recorded.title, () => checkCell(cell));
});
