import { type CheckHost, check, type Edit, GatewayError, type ScannedImage, schema } from 'portcullis/sdk';
import { declaredFormat, imageFormat } from './image-format.ts';

const mostImages = 20;
/** Of all images of a request together; they stand in memory at once, and then in the body. */
const mostBytesInAll = 104_857_600;
const atOnce = 4;

interface Bounds {
  readonly maxSizeBytes: number;
  readonly timeoutMs: number;
}

export default check({
  title: 'Inline images',
  description:
    'Fetches the images that a request names by URL and puts their bytes in the place: PNG, JPEG, GIF and WebP, at most 20.',
  config: schema.Object(
    {
      providers: schema.Array(schema.String({ minLength: 1, maxLength: 64 }), {
        default: [],
        maxItems: 100,
        uniqueItems: true,
        description: 'Only for requests to these providers; empty: to all.',
      }),
      maxSizeBytes: schema.Integer({ default: 20_971_520, minimum: 1, maximum: mostBytesInAll }),
      timeoutMs: schema.Integer({
        default: 30_000,
        minimum: 1,
        maximum: 60_000,
        description: 'For one image; `timeout` is for all of them.',
      }),
      failOnError: schema.Boolean({
        default: false,
        description: 'An image that cannot be had is an error. Otherwise it stays a URL, and the data say so.',
      }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest'],
  scans: false,
  edits: 'only',
  remote: { timeoutMs: 30_000 },
  async run(input, { providers, failOnError, ...bounds }, host) {
    if (providers.length > 0 && !providers.includes(input.provider)) return { pass: true };
    const external = input.images.filter(({ url }) => /^https?:/i.test(url));
    if (external.length === 0) return { pass: true };
    const { edits, left } = await inlined(external, bounds, host);
    const [first] = left;
    if (failOnError && first !== undefined)
      throw new GatewayError('check_failed', `Image ${first.image} ${first.reason}.`);
    const why = `${edits.length} of ${external.length} images were put inline.`;
    return { pass: true, why, data: { inlined: edits.length, left: left.slice(0, 100) }, edits };
  },
});

interface Left {
  readonly [name: string]: string | number;
  readonly image: number;
  readonly reason: string;
}

/** A few at a time, so that a request with many images holds few connections. */
async function inlined(images: readonly ScannedImage[], bounds: Bounds, host: CheckHost<unknown>) {
  const edits: Edit[] = [];
  const left: Left[] = images
    .slice(mostImages)
    .map(({ index }) => ({ image: index, reason: `is beyond the first ${mostImages}` }));
  const waiting = images.slice(0, mostImages);
  let room = mostBytesInAll;
  const work = async () => {
    for (let image = waiting.shift(); image !== undefined; image = waiting.shift()) {
      const found = await fetched(image, bounds, host);
      if ('reason' in found) left.push({ image: image.index, reason: found.reason });
      else if (found.bytes.length > room)
        left.push({ image: image.index, reason: `makes more than ${mostBytesInAll} bytes of all` });
      else {
        room -= found.bytes.length;
        const data = Buffer.from(found.bytes.buffer, found.bytes.byteOffset, found.bytes.byteLength).toString('base64');
        edits.push({ image: image.index, mediaType: found.mediaType, data });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { edits, left: left.sort((a, b) => a.image - b.image) };
}

type Fetched = { readonly bytes: Uint8Array; readonly mediaType: string } | { readonly reason: string };

/** Reasons never hold the URL: it may be signed. */
async function fetched(
  { url }: ScannedImage,
  { maxSizeBytes, timeoutMs }: Bounds,
  host: CheckHost<unknown>,
): Promise<Fetched> {
  try {
    const headers = { accept: 'image/png, image/jpeg, image/gif, image/webp' };
    const { status, headers: given, body } = await host.fetch(url, { headers, timeoutMs, maxBytes: maxSizeBytes });
    if (status !== 200) return { reason: `was answered with status ${status}` };
    const mediaType = imageFormat(body);
    if (mediaType !== undefined && mediaType === declaredFormat(given['content-type']))
      return { bytes: body, mediaType };
    return { reason: 'is not what its content type says, or no PNG, JPEG, GIF or WebP' };
  } catch (error) {
    if (host.signal.aborted || !GatewayError.is(error) || error.code === 'forbidden') throw error;
    return { reason: reasons[error.code] ?? 'could not be fetched' };
  }
}

const reasons: Readonly<Record<string, string>> = {
  bad_request: 'has a URL that cannot be called',
  request_timeout: 'did not arrive in time',
  upstream_invalid: 'is larger than maxSizeBytes, or its answer cannot be read',
  url_blocked: 'has a URL that is not called',
};
