/** An enclave in memory, with the rules of the conformance data's stub. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EnclaveAnswer, EnclaveTransport } from '../../../src/base/ports/enclave.ts'
import { fromBase64, toBase64 } from '../../../src/base/primitives/base64.ts'
import { legacyGroupId, type PrivacyGroup } from '../../../src/private/privacy/groups.ts'

interface StoredPayload {
  readonly payload: string
  readonly senderKey: string
  readonly privacyGroupId: string
  readonly members: readonly string[]
}

interface EnclaveState {
  readonly keys: string[]
  readonly known: string[]
  readonly payloads: Record<string, StoredPayload>
  readonly groups: Record<string, PrivacyGroup>
  created: number
}

interface Refusal {
  readonly status: number
  readonly text: string
}

const refused = (status: number, text: string): Refusal => ({ status, text })
const isRefusal = (value: unknown): value is Refusal => typeof value === 'object' && value !== null && 'status' in value

export class FakeEnclave implements EnclaveTransport {
  readonly state: EnclaveState
  /** Other enclaves, which receive what their keys belong to. */
  readonly peers: FakeEnclave[] = []
  /** Paths of the requests so far. */
  readonly requests: string[] = []
  /** Answers instead of the enclave while it is set; an error stands for a lost connection. */
  trouble: EnclaveAnswer | Error | undefined
  isClosed = false

  constructor(state: Partial<EnclaveState>) {
    this.state = { keys: [], known: [], payloads: {}, groups: {}, created: 0, ...structuredClone(state) }
  }

  /** @param file JSON, as in the conformance data */
  static read(file: string): FakeEnclave {
    return new FakeEnclave(JSON.parse(readFileSync(file, 'utf8')) as EnclaveState)
  }

  async post(path: string, _contentType: string, body: string): Promise<EnclaveAnswer> {
    this.requests.push(path)
    if (this.trouble instanceof Error) throw this.trouble
    if (this.trouble !== undefined) return this.trouble
    const answer = this.#answer(path, JSON.parse(body))
    return isRefusal(answer)
      ? { status: answer.status, body: answer.text }
      : { status: 200, body: JSON.stringify(answer) }
  }

  close(): void {
    this.isClosed = true
  }

  #answer(path: string, request: Record<string, unknown>): unknown {
    switch (path) {
      case '/send':
        return this.#send(request)
      case '/receive':
        return this.#receive(request)
      case '/createPrivacyGroup':
        return this.#create(request)
      case '/deletePrivacyGroup': {
        const id = String(request['privacyGroupId'])
        if (this.state.groups[id] === undefined) return refused(404, `Privacy group ${id} not found`)
        for (const enclave of [this, ...this.peers]) delete enclave.state.groups[id]
        return id
      }
      case '/findPrivacyGroup': {
        const wanted = [...new Set(request['addresses'] as string[])].sort().join()
        return Object.values(this.state.groups).filter(({ members }) => [...members].sort().join() === wanted)
      }
      case '/retrievePrivacyGroup': {
        const id = String(request['privacyGroupId'])
        return this.state.groups[id] ?? refused(404, `Privacy group ${id} not found`)
      }
      default:
        return refused(404, 'Not found')
    }
  }

  #send(request: Record<string, unknown>): unknown {
    const {
      payload,
      from,
      to = [],
      privacyGroupId,
    } = request as {
      payload: string
      from: string
      to?: string[]
      privacyGroupId?: string
    }
    if (!this.state.keys.includes(from)) return refused(404, `No private key found for public key: ${from}`)
    const group = privacyGroupId === undefined ? undefined : this.state.groups[privacyGroupId]
    if (privacyGroupId !== undefined && group === undefined) {
      return refused(404, `Privacy group ${privacyGroupId} not found`)
    }
    const members = group?.members ?? [...new Set([from, ...to])]
    const stranger = members.find((member) => !this.#isKnown(member))
    if (stranger !== undefined) return refused(404, `Recipient not found for key: ${stranger}`)
    const recipients = privacyGroupId ?? [...new Set(to)].sort().join(',')
    const digest = createHash('sha3-512').update(`${payload}\n${from}\n${recipients}`).digest().subarray(0, 32)
    const key = digest.toString('base64')
    const id = privacyGroupId ?? toBase64(legacyGroupId(members.map((member) => fromBase64(member) as Uint8Array)))
    const entry = { payload, senderKey: from, privacyGroupId: id, members }
    const legacy = { privacyGroupId: id, name: 'legacy', description: '', type: 'LEGACY', members }
    for (const enclave of this.#holders(members)) {
      enclave.state.payloads[key] = entry
      if (group === undefined) enclave.state.groups[id] ??= legacy
    }
    return { key }
  }

  #receive({ key, to }: Record<string, unknown>): unknown {
    const { keys, payloads } = this.state
    const found = payloads[String(key)]
    const allowed = typeof to === 'string' ? keys.filter((own) => own === to) : keys
    if (found === undefined || !allowed.some((own) => found.members.includes(own))) {
      return refused(404, `Message with hash ${key} was not found`)
    }
    const { payload, privacyGroupId, senderKey } = found
    return { payload, privacyGroupId, senderKey }
  }

  #create(request: Record<string, unknown>): unknown {
    const { addresses, from, name, description } = request as {
      addresses: string[]
      from: string
      name: string | null
      description: string | null
    }
    if (!this.state.keys.includes(from)) return refused(404, `No private key found for public key: ${from}`)
    const members = [...new Set(addresses)]
    if (!members.includes(from)) return refused(403, 'The list of members in a privacy group should include self')
    const seed = `${[...members].sort().join()}\n${name}\n${this.state.created++}`
    const privacyGroupId = createHash('sha256').update(seed).digest('base64')
    const group = { privacyGroupId, name: name ?? '', description: description ?? '', type: 'PANTHEON', members }
    for (const enclave of this.#holders(members)) enclave.state.groups[privacyGroupId] = group
    return group
  }

  #isKnown(member: string): boolean {
    return this.state.known.includes(member) || this.#holders([member]).length > 0
  }

  #holders(members: readonly string[]): FakeEnclave[] {
    return [this, ...this.peers].filter(({ state }) => state.keys.some((key) => members.includes(key)))
  }
}
