const formats: readonly { readonly mediaType: string; readonly fits: (bytes: Uint8Array) => boolean }[] = [
  { mediaType: 'image/png', fits: (bytes) => starts(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { mediaType: 'image/jpeg', fits: (bytes) => starts(bytes, 0, [0xff, 0xd8, 0xff]) },
  { mediaType: 'image/gif', fits: (bytes) => ascii(bytes, 0, 'GIF87a') || ascii(bytes, 0, 'GIF89a') },
  { mediaType: 'image/webp', fits: (bytes) => ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP') },
];

/** The media type of the bytes by how they begin; undefined when they are no PNG, JPEG, GIF or WebP. */
export function imageFormat(bytes: Uint8Array): string | undefined {
  return formats.find(({ fits }) => fits(bytes))?.mediaType;
}

/** `image/jpg; q=1` -> `image/jpeg`; '' where there is none. */
export function declaredFormat(contentType: string | undefined): string {
  const [essence = ''] = (contentType ?? '').split(';');
  const type = essence.trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

function ascii(bytes: Uint8Array, at: number, text: string): boolean {
  return starts(
    bytes,
    at,
    Array.from(text, (letter) => letter.charCodeAt(0)),
  );
}

function starts(bytes: Uint8Array, at: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[at + index] === byte);
}
