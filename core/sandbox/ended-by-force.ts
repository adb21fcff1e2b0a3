import { GatewayError } from 'portcullis/sdk';

/** A run that would not end by itself, or that was not begun because the ones before it would not. */
export class EndedByForce extends GatewayError {}
