import type { Unsubscribe } from '../../events/events.ts'
import type { Subscriber } from '../../rpc/method.ts'
import type { SharedListener } from './sharedListener.ts'

/** One subscription of one connection. */
export interface Subscription {
  readonly id: bigint
  readonly subscriber: Subscriber
}

interface Member {
  readonly subscriber: Subscriber
  /** Text of a frame up to the result. */
  readonly head: string
}

/** Subscriptions that get the same results: the text of a result is made once for all of them. */
export class Audience {
  readonly #source: SharedListener
  readonly #members = new Map<bigint, Member>()

  /** @param source what is listened to while there are members */
  constructor(source: SharedListener) {
    this.#source = source
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** @returns ends the membership */
  join({ id, subscriber }: Subscription): Unsubscribe {
    const params = `{"subscription":"0x${id.toString(16)}","result":`
    this.#members.set(id, { subscriber, head: `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}` })
    const stop = this.#source.use()
    return () => {
      this.#members.delete(id)
      stop()
    }
  }

  /** @param result JSON text */
  send(result: string): void {
    // A member that leaves while it is sent to takes itself out of the map, which iterates on.
    for (const { subscriber, head } of this.#members.values()) subscriber.send(`${head}${result}}}`)
  }
}
