/**
 * Contracts and functions in the text of a Solidity source. Compilers name them in the syntax tree, which most projects
 * do not store; their places in the text are enough to name the function of a source range.
 * @module
 */

export interface Definition {
  readonly kind: 'contract' | 'function' | 'modifier'
  readonly name: string
  /** Bytes from the keyword to the end of the body. */
  readonly start: number
  readonly end: number
  /** Name of the contract that contains the function; undefined for a contract and a function of the file. */
  readonly contract: string | undefined
}

interface Scope {
  readonly depth: number
  readonly start: number
  readonly kind: Definition['kind']
  readonly name: string
}

interface Head {
  readonly kind: Definition['kind']
  readonly start: number
  name: string | undefined
  /** Parentheses that are open within the head. */
  parentheses: number
}

const CONTRACTS: ReadonlySet<string> = new Set(['contract', 'library', 'interface'])
/** Functions without a name behind a keyword. */
const UNNAMED: ReadonlySet<string> = new Set(['constructor', 'fallback', 'receive'])
/** Comments, texts, words, and the marks that structure a source; other characters do not matter. */
const TOKEN =
  /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|[A-Za-z_$][\w$]*|[{}();=]/g
const WORD = /^[A-Za-z_$]/

/** In the order of their starts; a contract comes before its functions. */
export function definitionsOf(text: string): Definition[] {
  const reader = new DefinitionReader()
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (WORD.test(token)) reader.word(token, index)
    else if (token.length === 1) reader.mark(token, index)
  }
  return reader.found.sort((a, b) => a.start - b.start)
}

class DefinitionReader {
  readonly found: Definition[] = []
  #depth = 0
  #contract: Scope | undefined
  #function: Scope | undefined
  #head: Head | undefined

  word(word: string, start: number): void {
    if (this.#head !== undefined) {
      if (this.#head.name === undefined && this.#head.parentheses === 0) this.#head.name = word
      return
    }
    // Only the level of the file and that of a contract have definitions.
    if (this.#function !== undefined || this.#depth !== (this.#contract === undefined ? 0 : 1)) return
    const kind = CONTRACTS.has(word) ? 'contract' : word === 'modifier' ? 'modifier' : 'function'
    if (kind === 'contract' && this.#contract !== undefined) return
    if (kind !== 'function' || word === 'function') this.#head = { kind, start, name: undefined, parentheses: 0 }
    else if (UNNAMED.has(word) && this.#contract !== undefined) {
      this.#head = { kind, start, name: word, parentheses: 0 }
    }
  }

  mark(mark: string, at: number): void {
    const head = this.#head
    switch (mark) {
      case '(':
        if (head !== undefined) head.parentheses++
        // A fallback function had no name before version 0.6.
        if (head?.name === undefined && head !== undefined) head.name = 'fallback'
        break
      case ')':
        if (head !== undefined) head.parentheses--
        break
      case ';':
      case '=':
        this.#head = undefined
        break
      case '{':
        this.#open(head)
        break
      case '}':
        this.#close(at + 1)
    }
  }

  #open(head: Head | undefined): void {
    const depth = this.#depth++
    // Call options, as in `modifier{value: 1}`, do not occur in heads; arguments of modifiers may contain braces.
    if (head === undefined || head.parentheses > 0) return
    this.#head = undefined
    const scope = { depth, start: head.start, kind: head.kind, name: head.name ?? '' }
    if (head.kind === 'contract') this.#contract = scope
    else this.#function = scope
  }

  #close(end: number): void {
    this.#depth = Math.max(0, this.#depth - 1)
    if (this.#function?.depth === this.#depth) {
      this.#add(this.#function, end, this.#contract?.name)
      this.#function = undefined
    } else if (this.#contract?.depth === this.#depth) {
      this.#add(this.#contract, end, undefined)
      this.#contract = undefined
    }
  }

  #add({ kind, name, start }: Scope, end: number, contract: string | undefined): void {
    this.found.push({ kind, name, start, end, contract })
  }
}
