import {
  asNumber,
  asString,
  compact,
  type Flow,
  type FlowCall,
  GatewayError,
  heldFiles,
  type JsonObject,
} from 'portcullis/sdk';

/** The provider takes a picture of at most 10 MB, and a mask. */
const maxBytes = 20 * 1024 * 1024;

const numbers: readonly string[] = ['n', 'strength', 'random_seed'];

/** Which of two endpoints it is depends on the files, so that it takes a flow: pictures leave as data URLs in JSON. */
export const editFlow: Flow = async (call, tools) => {
  const { url, body } = await editOf(call);
  const reply = await tools.send({ method: 'POST', url, body });
  return { status: reply.status, json: reply.json };
};

async function editOf({ body, files }: FlowCall): Promise<{ readonly url: string; readonly body: JsonObject }> {
  const held = await heldFiles(files, maxBytes);
  const image = held.find(({ field }) => field === 'image' || field === 'image[]')?.dataUrl;
  const mask = held.find(({ field }) => field === 'mask')?.dataUrl;
  if (image === undefined && body.image_url === undefined)
    throw new GatewayError('bad_request', 'image is required: a file of the form, or image_url.', { param: 'image' });
  const { model, ...rest } = withNumbers(body);
  const named = asString(model) ? { model } : {};
  const pictures = compact({ image_url: image, mask_url: mask });
  const masked = mask !== undefined || body.mask_url !== undefined;
  // Its strength is required, from 0, which changes nothing, to 1.
  const strength = masked || rest.strength !== undefined ? {} : { strength: 0.5 };
  return {
    url: masked ? '/images/inpaint' : '/images/imageToImage',
    body: compact({ ...named, ...strength, ...rest, ...pictures }),
  };
}

/** Fields of a form are strings. */
function withNumbers(body: JsonObject): JsonObject {
  const read = numbers.flatMap((name) => {
    const value = body[name];
    const number = typeof value === 'string' && value !== '' ? asNumber(Number(value)) : undefined;
    return number === undefined ? [] : [[name, number] as const];
  });
  return { ...body, ...Object.fromEntries(read) };
}
