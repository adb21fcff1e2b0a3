import type { ManagerName } from './backends/index.ts';

/** A field of `auth_config`. */
export interface AuthField {
  readonly required?: true;
  /** Kept encrypted, shown masked. */
  readonly secret?: true;
  readonly pattern?: RegExp;
  /** What the pattern accepts, as a noun phrase. */
  readonly accepts?: string;
  /** A URL that passes the guard. When it moves, what is secret must be given again: it would go elsewhere. */
  readonly url?: true;
}

type Variant = Readonly<Record<string, AuthField>>;

export interface AuthForms {
  /** The member that says which form it is. */
  readonly selector: string;
  readonly forms: Readonly<Record<string, Variant>>;
}

const plain: AuthField = { required: true };
const secret: AuthField = { required: true, secret: true };
const region: AuthField = { pattern: /^[a-z]{2}(-[a-z]+)+-\d{1,2}$/, accepts: 'a region, such as eu-west-1' };
const role: AuthField = {
  required: true,
  pattern: /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
  accepts: 'the ARN of a role',
};
const azureVault: AuthField = {
  required: true,
  pattern: /^https:\/\/[a-zA-Z0-9-]{3,24}\.(vault\.azure\.net|vault\.azure\.cn|vault\.usgovcloudapi\.net)\/?$/,
  accepts: 'the URL of a vault, such as https://name.vault.azure.net',
};
const guid: AuthField = {
  required: true,
  pattern: /^[a-zA-Z0-9.-]{1,128}$/,
  accepts: 'an id of letters, digits, dots and dashes',
};
const address: AuthField = { required: true, url: true };
const namespace: AuthField = {
  pattern: /^[\w./ -]{0,255}$/,
  accepts: 'a namespace of letters, digits, dots, dashes and slashes',
};

/** The ways into each manager: data that checks, merges and masks `auth_config`. */
export const authForms: Readonly<Record<ManagerName, AuthForms>> = {
  aws_sm: {
    selector: 'aws_auth_type',
    forms: {
      accessKey: { aws_access_key_id: plain, aws_secret_access_key: secret, aws_region: { ...region, required: true } },
      assumedRole: { aws_role_arn: role, aws_external_id: {}, aws_region: { ...region, required: true } },
      serviceRole: { aws_region: region },
    },
  },
  azure_kv: {
    selector: 'azure_auth_mode',
    forms: {
      entra: {
        azure_entra_tenant_id: guid,
        azure_entra_client_id: guid,
        azure_entra_client_secret: secret,
        azure_vault_url: azureVault,
      },
      managed: {
        azure_managed_client_id: { pattern: guid.pattern as RegExp, accepts: guid.accepts as string },
        azure_vault_url: azureVault,
      },
      default: { azure_vault_url: azureVault },
    },
  },
  hashicorp_vault: {
    selector: 'vault_auth_type',
    forms: {
      token: { vault_addr: address, vault_token: secret, vault_namespace: namespace },
      approle: { vault_addr: address, vault_role_id: plain, vault_secret_id: secret, vault_namespace: namespace },
      kubernetes: { vault_addr: address, vault_role: plain, vault_namespace: namespace },
    },
  },
};
