import { asString, type JsonObject } from 'portcullis/sdk';

/** Text formats whose media type does not start with `text/`. */
const formats = [
  ...['json', 'x-ndjson', 'jsonl', 'xml', 'yaml', 'x-yaml', 'toml', 'csv', 'rtf', 'sql', 'graphql', 'x-httpd-php'],
  ...['javascript', 'x-javascript', 'ecmascript', 'typescript', 'x-typescript', 'x-python', 'x-sh'],
];
const textTypes = new RegExp(
  `^(?:text/.*|application/(?:${formats.join('|')})|(?!image/).*\\+(?:json|xml|yaml))$`,
  'i',
);

/** Names of files that are none of texts. */
const binaryNames =
  /\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip|gz|png|jpe?g|gif|webp|hei[cf]|avif|bmp|tiff?|wav|mp3|m4a|aac|ogg|flac|mp4|mov|webm|mpe?g)$/i;

/** Whether bytes of this type are those of a text. */
export function isTextType(mediaType: string): boolean {
  return textTypes.test(mediaType.split(';', 1)[0]?.trim() ?? '');
}

/** Whether a `data:` URL holds a text; one that says no type does (RFC 2397). */
export function isTextUrl(url: string, filename?: string): boolean {
  const [, header] = /^data:([^,]*),/i.exec(url) ?? [];
  if (header === undefined) return false;
  const [type = ''] = header.split(';', 1);
  if (type === '') return /;base64$/i.test(header);
  return type.toLowerCase() === 'application/octet-stream' ? isTextName(filename) : isTextType(type);
}

/** Whether a field holds the bytes of a text: they could be decoded, but no edit could be made in them. */
export function isEncodedText(field: string, value: string, holder: JsonObject): boolean {
  const filename = asString(holder.filename);
  if (/^data:/i.test(value)) return isTextUrl(value, filename);
  return field === 'file_data' && !/^https?:/i.test(value) && isTextName(filename);
}

/** Bytes that come without a type are what the name of their file says. */
function isTextName(filename = ''): boolean {
  return filename.includes('.') && !binaryNames.test(filename);
}
