import type { Action } from 'portcullis/sdk';
import type { Kind } from '../records/table.ts';
import { forkAction } from './fork.ts';
import { shareActions } from './share.ts';
import { unshareAction } from './unshare.ts';

const paths: Readonly<Record<Kind, string>> = { prompts: '/prompts', prompt_partials: '/prompts/partials' };

/** The routes of sharing, of prompts and of partials alike. */
export const sharingActions: readonly Action[] = (Object.keys(paths) as readonly Kind[]).flatMap((kind) => [
  ...shareActions(kind, paths[kind]),
  unshareAction(kind, paths[kind]),
  forkAction(kind, paths[kind]),
]);
