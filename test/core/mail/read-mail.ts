import { asString } from 'portcullis/sdk';

/** A mail of text as its reader sees it. */
export function readMail(raw: string): { readonly subject: string; readonly text: string } {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const headers = head.replace(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => asString(new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim()) ?? '';
  return {
    // White space between encoded words is none of the text (RFC 2047, 6.2).
    subject: header('Subject')
      .replace(/(?<=\?=) (?==\?)/g, '')
      .replace(/=\?utf-8\?(b|q)\?(.*?)\?=/gi, decodedWord),
    text: decoded(header('Content-Transfer-Encoding'), body.join('\r\n\r\n')).replaceAll('\r\n', '\n').trimEnd(),
  };
}

function decodedWord(_: string, kind: string, text: string): string {
  return kind.toLowerCase() === 'b' ? decoded('base64', text) : decoded('quoted-printable', text.replaceAll('_', ' '));
}

function decoded(encoding: string, text: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString();
  if (encoding !== 'quoted-printable') return text;
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
