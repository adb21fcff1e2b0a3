import { GatewayError } from 'portcullis/sdk';
import { type EnvironmentValues, environmentTable } from '../config/env.ts';
import type { MailSettings } from './mailer.ts';

/** The mail server that the environment names; undefined: there is none. @throws GatewayError `invalid_config` without a sender */
export function mailSettingsOf(environment: EnvironmentValues): MailSettings | undefined {
  const {
    SMTP_HOST: host,
    SMTP_FROM: from,
    SMTP_USER: user,
    SMTP_PASSWORD: password,
    SMTP_SECURE: secure,
  } = environment;
  if (host === undefined) return undefined;
  if (from === undefined) {
    throw new GatewayError('invalid_config', 'SMTP_HOST is set, so SMTP_FROM must be set as well.', {
      param: 'SMTP_FROM',
    });
  }
  return {
    host,
    port: environment.SMTP_PORT ?? (environmentTable.SMTP_PORT.default as number),
    from,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(secure === undefined ? {} : { secure }),
  };
}
