import type { Source } from './neutral.ts';

/** Splits a `data:` URL (RFC 2397) of base64 content; any other URL is kept as a URL. Extra parameters (`;charset=...`) are left out. */
export function sourceOf(url: string): Source {
  if (!url.startsWith('data:')) return { kind: 'url', url };
  const comma = url.indexOf(',');
  const header = url.slice(5, comma === -1 ? undefined : comma);
  if (comma === -1 || !/;base64$/i.test(header)) return { kind: 'url', url };
  const mediaType = header.split(';', 1)[0] || 'text/plain';
  return { kind: 'base64', mediaType, data: url.slice(comma + 1) };
}

/** The source as one URL; undefined for a file id, which is no URL. */
export function urlOf(source: Source): string | undefined {
  switch (source.kind) {
    case 'url':
      return source.url;
    case 'base64':
      return `data:${source.mediaType};base64,${source.data}`;
    case 'file-id':
      return undefined;
  }
}
