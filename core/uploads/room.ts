import { GatewayError } from 'portcullis/sdk';

/** How much may be held of all bodies at once. */
export interface RoomBounds {
  readonly maxBytes: number;
  /** Whose body it is: one caller gets half of it at most. */
  readonly owner: string;
}

/** What the bodies that are held now take up, in memory and on disk. */
class Room {
  #used = 0;
  readonly #byOwner = new Map<string, number>();

  get used(): number {
    return this.#used;
  }

  /** @throws GatewayError `not_ready` where there is no room left for so many bytes */
  check(bytes: number, { maxBytes, owner }: RoomBounds): void {
    const own = this.#byOwner.get(owner) ?? 0;
    if (this.#used + bytes <= maxBytes && own + bytes <= maxBytes / 2) return;
    throw new GatewayError('not_ready', 'The gateway holds as many uploads as it has room for: try again later.', {
      headers: { 'retry-after': '5', connection: 'close' },
    });
  }

  take(bytes: number, bounds: RoomBounds): void {
    this.check(bytes, bounds);
    this.#change(bytes, bounds.owner);
  }

  give(bytes: number, { owner }: RoomBounds): void {
    this.#change(-bytes, owner);
  }

  #change(bytes: number, owner: string): void {
    this.#used += bytes;
    const own = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (own === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, own);
  }
}

/** One for the process: all that it serves share its disk. */
export const room = new Room();

/** What one body takes up, until it is let go of. */
export class Share {
  readonly #bounds: RoomBounds | undefined;
  #bytes = 0;

  /** @param bounds absent: it takes up nothing */
  constructor(bounds: RoomBounds | undefined) {
    this.#bounds = bounds;
  }

  /** @throws GatewayError `not_ready` where a body of the length that its client has told has no room */
  expect(bytes: number): void {
    if (this.#bounds !== undefined) room.check(bytes, this.#bounds);
  }

  /** @throws GatewayError `not_ready` */
  grow(bytes: number): void {
    if (this.#bounds === undefined) return;
    room.take(bytes, this.#bounds);
    this.#bytes += bytes;
  }

  release(): void {
    if (this.#bounds !== undefined) room.give(this.#bytes, this.#bounds);
    this.#bytes = 0;
  }
}
