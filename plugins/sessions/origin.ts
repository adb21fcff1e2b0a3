const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a browser sent this from a page of the gateway's own: a cookie alone says only whose browser it was. */
export function isOwnPage({ method, headers }: Asked, publicUrl: string | undefined): boolean {
  if (harmless.has(method.toUpperCase())) return true;
  const { origin } = headers;
  if (origin === undefined) return headers['sec-fetch-site'] === 'same-origin';
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (publicUrl !== undefined && URL.canParse(publicUrl) && from.origin === new URL(publicUrl).origin) return true;
  return headers.host !== undefined && from.host === headers.host.toLowerCase();
}
