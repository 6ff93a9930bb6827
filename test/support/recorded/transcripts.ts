/** Recorded requests to the nodes of a network, in order, and the keys of its members. */
import { readFileSync } from 'node:fs'
import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { recordedPath } from './conformance.ts'

export interface RecordedReply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface TranscriptStep {
  readonly n: number
  /** The node that is asked. */
  readonly node?: string
  /** Its head just before. */
  readonly block?: number
  readonly request?: { readonly method: string; readonly params: readonly unknown[] }
  readonly status?: number
  readonly response?: RecordedReply
  readonly note?: string
  /** Instead of a request: what happened to a node. */
  readonly event?: string
}

export interface Transcript {
  readonly genesis: string
  /** Keys by the name of a node. */
  readonly signers: ReadonlyMap<string, KeySigner>
  /** A validator that is voted in, without a node. */
  readonly candidate: string | undefined
  readonly steps: readonly TranscriptStep[]
}

interface TranscriptFile {
  readonly about: {
    readonly nodes: readonly { readonly name: string; readonly validator?: string; readonly address?: string }[]
    readonly candidate?: string
  }
  readonly steps: readonly TranscriptStep[]
}

interface KeyFile {
  readonly validators: readonly { readonly address: string; readonly privateKey: string }[]
}

export function transcriptOf(name: string): Transcript {
  const textOf = (file: string): string => readFileSync(recordedPath('besu', name, file), 'utf8')
  const { about, steps } = JSON.parse(textOf('transcript.json')) as TranscriptFile
  const { validators } = JSON.parse(textOf('validators.json')) as KeyFile
  const signerOf = (address: string | undefined): KeySigner => {
    const found = validators.find((validator) => validator.address === address)
    if (found === undefined) throw new Error(`no key of ${address}`)
    return new KeySigner(hexToBytes(found.privateKey))
  }
  const signers = about.nodes.map((node) => [node.name, signerOf(node.validator ?? node.address)] as const)
  return { genesis: textOf('genesis.json'), signers: new Map(signers), candidate: about.candidate, steps }
}

/** The recorded answer as the specification requires it. */
export function expectedReply({ request, response, status = 200 }: TranscriptStep, isBft: boolean) {
  const { result, error } = response ?? {}
  if (error !== undefined) return { status, error }
  // The specification: true when mining stops. Validators of BFT chains do not stop.
  if (request?.method === 'miner_stop' && !isBft) return { status, result: true }
  return { status, result: request?.method.endsWith('_getSignerMetrics') ? byAddress(result) : result }
}

/** An answer in the form of {@link expectedReply}. */
export function actualReply(status: number, method: string, body: string) {
  const { result, error } = JSON.parse(body) as RecordedReply
  if (error !== undefined) return { status, error }
  return { status, result: method.endsWith('_getSignerMetrics') ? byAddress(result) : result }
}

/** The order of signer metrics is unspecified. */
function byAddress(metrics: unknown): unknown {
  if (!Array.isArray(metrics)) return metrics
  return metrics.toSorted((a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1))
}

export function addressText(signer: KeySigner): string {
  return bytesToHex(signer.address)
}
