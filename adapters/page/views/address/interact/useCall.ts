import { useState } from 'preact/hooks'
import { type AbiFunction, outputTexts } from '../../../abi/functions.ts'
import { revertData } from '../../../rpc/errors.ts'
import { head, refreshHead } from '../../../state/live.ts'
import { request } from '../../../state/node.ts'
import { type Sender, sendFrom } from '../../../state/wallets.ts'

export type CallOutcome =
  | {
      readonly kind: 'output'
      readonly texts: readonly string[] | undefined
      readonly data: string
      readonly gas: string | undefined
    }
  | {
      readonly kind: 'error'
      readonly message: string
      readonly data: string | undefined
      /** The simulated call; undefined: it was sent */
      readonly failed: { readonly call: Call; readonly block: string } | undefined
    }
  | { readonly kind: 'sent'; readonly hash: string }

type Call = Readonly<Record<string, string>>

export interface CallState {
  readonly isBusy: boolean
  readonly result: CallOutcome | undefined
  simulate(call: Call, sender: Sender | undefined): Promise<void>
  /** Whether this very call was simulated with success. */
  canSend(call: () => Call): boolean
  send(call: Call, sender: Sender): Promise<void>
}

/** Runs a call on the latest state; sends only what was simulated before. */
export function useCall(target: AbiFunction): CallState {
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<CallOutcome>()
  const [simulated, setSimulated] = useState<string>()
  const run = async (work: () => Promise<CallOutcome>, call?: Call): Promise<void> => {
    setBusy(true)
    setResult(
      await work().catch((error: Error) => ({
        kind: 'error' as const,
        message: error.message,
        data: revertData(error),
        failed: call && { call, block: head.peek()?.number ?? 'latest' },
      })),
    )
    setBusy(false)
  }
  return {
    isBusy,
    result,
    simulate: (call, sender) => {
      const full = sender === undefined ? call : { ...call, from: sender.address }
      return run(async () => {
        setSimulated(undefined)
        const data = await request<string>('eth_call', [full, 'latest'])
        const gas = target.isRead ? undefined : await request<string>('eth_estimateGas', [full, 'latest'])
        setSimulated(JSON.stringify(call))
        return { kind: 'output', texts: outputTexts(target, data), data, gas }
      }, full)
    },
    canSend: (call) => simulated !== undefined && simulated === JSON.stringify(call()),
    send: (call, sender) =>
      run(async () => {
        const hash = await sendFrom(sender, call)
        refreshHead()
        return { kind: 'sent', hash }
      }),
  }
}
