import type { Action, ControlHost } from 'portcullis/sdk';
import { grantActions } from '../grants/actions.ts';
import { modelActions } from '../models/actions.ts';
import { listIntegrations } from './list.ts';
import { testIntegration } from './trial.ts';

export function integrationActions(host: ControlHost): readonly Action[] {
  return [listIntegrations, testIntegration(host), ...modelActions(host), ...grantActions(host)];
}
