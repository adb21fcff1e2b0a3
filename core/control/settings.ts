import type { MailSettings } from '../mail/mailer.ts';
import type { Timestamps } from '../resources/moments.ts';
import type { KeyMaterial } from '../secrets/key-material.ts';
import type { StoreOptions } from '../store/store.ts';

/** How the control plane of this process is set up. */
export interface ControlSettings {
  /** Plugins that bring its resources, in the order in which they are set up. */
  readonly plugins: readonly string[];
  readonly store: StoreOptions;
  /** What encrypts the keys that encrypt secrets. */
  readonly keyMaterial: KeyMaterial;
  /** Absent: no mail is sent. */
  readonly mail?: MailSettings;
  readonly migrateOnStart: boolean;
  readonly timestamps: Timestamps;
  /** Where people and applications reach this gateway, without a slash at the end; absent: the address that it listens on. */
  readonly publicUrl?: string;
  readonly pollMs: number;
  readonly redisUrl?: string;
  /** Shared with the data planes that run apart from it; absent: there are none. */
  readonly serviceToken?: string;
  /** Whether this process runs jobs by their schedules. */
  readonly runsJobs: boolean;
  /** Whether this process serves requests to models too. */
  readonly inference: boolean;
}

/** A control plane in another process, from which this one reads its records. */
export interface RemoteSettings {
  readonly url: string;
  /** Shared with it. */
  readonly token: string;
  /** Whether plain http to another machine is accepted. */
  readonly insecure: boolean;
  readonly pollMs: number;
  readonly redisUrl?: string;
}
