import type { Unsubscribe } from '../../base/primitives/events.ts'
import type { FeedTexts } from './feedTexts.ts'
import type { SharedListener } from './sharedListener.ts'
import type { Subscriber } from './subscriptionHub.ts'

/** One subscription of one connection. */
export interface Subscription {
  readonly id: bigint
  readonly subscriber: Subscriber
}

interface Member {
  readonly subscriber: Subscriber
  /** Text of a notification before and after the result. */
  readonly head: string
  readonly tail: string
}

/** Subscriptions with identical results: the text of a result is created once for all of them. */
export class Audience {
  readonly #source: SharedListener
  readonly #texts: Pick<FeedTexts, 'frame'>
  readonly #members = new Map<bigint, Member>()

  /** @param source active while there are members */
  constructor(source: SharedListener, texts: Pick<FeedTexts, 'frame'>) {
    this.#source = source
    this.#texts = texts
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** @returns ends the membership */
  join({ id, subscriber }: Subscription): Unsubscribe {
    this.#members.set(id, { subscriber, ...this.#texts.frame(id) })
    const stop = this.#source.use()
    return () => {
      this.#members.delete(id)
      stop()
    }
  }

  /** @param result text as the feed writes it */
  send(result: string): void {
    // A member that leaves during delivery deletes itself from the map, which does not disturb the iteration.
    for (const { subscriber, head, tail } of this.#members.values()) subscriber.send(`${head}${result}${tail}`)
  }
}
