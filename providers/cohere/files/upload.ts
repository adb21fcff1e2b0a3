import {
  asArray,
  asObject,
  asString,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  type FormFile,
  GatewayError,
  type JsonObject,
  type StreamedBody,
} from 'portcullis/sdk';
import { fileOf } from './dataset.ts';

/** What a dataset is for, by the purpose of a file; a client may name the type itself in the field `type`. */
const types: ReadonlyMap<string, string> = new Map([
  ['batch', 'embed-input'],
  ['fine-tune', 'chat-finetune-input'],
]);
/** Fields of the form that the API takes in its query. */
const options = ['keep_fields', 'optional_fields', 'text_separator', 'csv_delimiter', 'skip_malformed_input'];
/** All of the form that has a place there. Lists come under a name of their own. */
export const reads = [
  ...['purpose', 'type', 'name', 'keep_original_file'],
  ...options.flatMap((option) => [option, `${option}[]`]),
];
/** Characters; the API refuses longer names. */
const nameLength = 49;

/** Makes a dataset of the client's file, and answers with it as a file. Source: https://docs.cohere.com/reference/create-dataset. */
export async function upload({ body, files }: FlowCall, { send, newId }: FlowTools): Promise<FlowResult> {
  const file = files.find(({ field }) => field === 'file') ?? files[0];
  if (file === undefined) throw new GatewayError('bad_request', 'The form holds no file.', { param: 'file' });
  const type = asString(body.type) ?? types.get(asString(body.purpose) ?? '');
  if (type === undefined) {
    const text = 'The purpose must be "batch" or "fine-tune", or "type" must name the type of the dataset.';
    throw new GatewayError('bad_request', text, { param: 'purpose' });
  }
  const boundary = newId('form');
  const created = await send({
    method: 'POST',
    url: `/v1/datasets?${queryOf(body, type, file)}`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: formOf(file, boundary),
  });
  const id = asString(created.json.id) ?? '';
  const { json } = await send({ method: 'GET', url: `/v1/datasets/${encodeURIComponent(id)}` });
  return { status: 200, json: fileOf(asObject(json.dataset) ?? { id }) };
}

function queryOf(body: JsonObject, type: string, file: FormFile): URLSearchParams {
  const name = (asString(body.name) ?? file.filename).slice(0, nameLength);
  // Without the original, the content that comes back is in a format of its own.
  const query = new URLSearchParams({ name, type, keep_original_file: asString(body.keep_original_file) ?? 'true' });
  for (const option of options) {
    const value = body[option] ?? body[`${option}[]`];
    for (const each of Array.isArray(value) ? asArray(value) : [value]) {
      if (typeof each === 'string') query.append(option, each);
    }
  }
  return query;
}

/** The file as the field `data` of a form. */
function formOf(file: FormFile, boundary: string): StreamedBody {
  const filename = encodeURIComponent(file.filename).replaceAll('%20', ' ');
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="data"; filename="${filename}"\r\n` +
      `content-type: ${file.contentType.replaceAll(/[\r\n]/g, '')}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    size: head.length + file.size + tail.length,
    async *open() {
      yield head;
      yield* file.open();
      yield tail;
    },
  };
}
