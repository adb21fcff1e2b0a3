export const sessionCookie = 'portcullis_session';
export const oidcCookie = 'portcullis_oidc';

/** A cookie that scripts cannot read and other sites' requests do not carry. `maxAge` in seconds; 0 removes it. */
export function cookie(name: string, value: string, maxAge: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of a cookie in a Cookie header; the first where there are several. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}
