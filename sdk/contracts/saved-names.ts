/** What a saved config goes by; a config of the operator's file has its name for both. */
export interface SavedConfigName {
  readonly id: string;
  readonly slug: string;
  /** Absent: one of the operator's file, which has no versions. */
  readonly versionId?: string;
}

/** What a saved prompt goes by, and which version of it is run. */
export interface SavedPromptName {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
  readonly versionId: string;
}
