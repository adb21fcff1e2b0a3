import type { Action, ControlHost } from 'portcullis/sdk';
import { grantActions } from '../grants/actions.ts';
import { modelActions } from '../models/actions.ts';
import { listIntegrations } from './list.ts';

export function integrationActions(host: ControlHost): readonly Action[] {
  return [listIntegrations, ...modelActions(host), ...grantActions(host)];
}
