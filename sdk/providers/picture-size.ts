import type { Json } from '../json.ts';

/** Width and height in pixels of a size as the images format writes it: `1024x768`. Undefined for `auto` and the like. */
export function pictureSize(size: Json | undefined): { readonly width: number; readonly height: number } | undefined {
  if (typeof size !== 'string') return undefined;
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) };
}
