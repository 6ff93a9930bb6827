/**
 * Items of an ABI in the syntax of Solidity, such as `function transfer(address to, uint256 value) returns (bool)`.
 * @module
 */

export interface JsonParameter {
  readonly name: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly JsonParameter[]
}

/** An item of an ABI in JSON. */
export interface JsonItem {
  readonly type: 'function' | 'event' | 'error'
  readonly name: string
  readonly inputs: readonly JsonParameter[]
  readonly outputs?: readonly JsonParameter[]
  readonly stateMutability?: string
  readonly anonymous?: boolean
}

const TOKEN = /[\w$]+(?:\[\d*\])*|\[\d*\]|[(),]/g

/**
 * @param text of this program; tuples are written in parentheses
 * @throws {TypeError} when the text has another form
 */
export function parseItem(text: string): JsonItem {
  const reader = new ItemReader(text)
  const type = reader.next()
  const name = reader.next()
  if (type !== 'function' && type !== 'event' && type !== 'error') throw reader.fault()
  const inputs = reader.parameters()
  if (type === 'event') return { type, name, inputs, anonymous: false }
  if (type === 'error') return { type, name, inputs }
  const word = reader.peek()
  const isStated = word === 'view' || word === 'pure' || word === 'payable'
  const stateMutability = isStated ? reader.next() : 'nonpayable'
  const outputs = reader.takes('returns') ? reader.parameters() : []
  return { type, name, inputs, outputs, stateMutability }
}

class ItemReader {
  readonly #text: string
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = text.match(TOKEN) ?? []
  }

  fault(): TypeError {
    return new TypeError(`not an item of an ABI: ${this.#text}`)
  }

  peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  next(): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw this.fault()
    return token
  }

  takes(token: string): boolean {
    if (this.peek() !== token) return false
    this.#at++
    return true
  }

  /** A list in parentheses. */
  parameters(): JsonParameter[] {
    if (!this.takes('(')) throw this.fault()
    const list: JsonParameter[] = []
    if (this.takes(')')) return list
    do list.push(this.#parameter())
    while (this.takes(','))
    if (!this.takes(')')) throw this.fault()
    return list
  }

  #parameter(): JsonParameter {
    const components = this.peek() === '(' ? this.parameters() : undefined
    const type = components === undefined ? this.next() : `tuple${this.peek()?.startsWith('[') ? this.next() : ''}`
    const indexed = this.takes('indexed')
    const word = this.peek()
    const name = word === undefined || word === ',' || word === ')' ? '' : this.next()
    return { name, type, ...(indexed ? { indexed } : {}), ...(components === undefined ? {} : { components }) }
  }
}
