/**
 * Generates programs from statements whose operands are mostly present and meaningful.
 * @module
 */
import { CODE_OF, opcodesOf } from './opcodes.mjs'
import { Operands } from './operands.mjs'
import { precompileInput } from './precompileInput.mjs'

/** Opcodes that push one value and pop none. */
const LEAVES = [
  ...['ADDRESS', 'ORIGIN', 'CALLER', 'CALLVALUE', 'CALLDATASIZE', 'CODESIZE', 'GASPRICE', 'RETURNDATASIZE'],
  ...['COINBASE', 'TIMESTAMP', 'NUMBER', 'PREVRANDAO', 'GASLIMIT', 'CHAINID', 'SELFBALANCE', 'BASEFEE', 'BLOBBASEFEE'],
  ...['PC', 'MSIZE', 'GAS'],
]
const UNARY = ['ISZERO', 'NOT', 'CLZ']
/** Opcodes with complex implementations, and their number of operands. */
const ARITHMETIC = [
  ...[
    ['DIV', 2],
    ['SDIV', 2],
    ['MOD', 2],
    ['SMOD', 2],
  ],
  ...[
    ['ADDMOD', 3],
    ['MULMOD', 3],
    ['MUL', 2],
  ],
]
const MAX_DEPTH_OF_BLOCKS = 2

/**
 * The environment that a program may refer to.
 * @typedef {object} Surroundings
 * @property {ReturnType<typeof vocabularyOf>} vocabulary the opcodes of the fork
 * @property {string[]} addresses 40 digits each
 * @property {string[]} callees addresses of interesting call targets
 * @property {number[]} precompiles
 * @property {number} blockNumber
 * @property {(init: string[]) => string} addProgram stores a program for inclusion in others; returns its name
 */

/**
 * The opcodes of a fork, by use.
 * @param {{ eips: ReadonlySet<number> }} rules
 */
export function vocabularyOf(rules) {
  const opcodes = opcodesOf(rules)
  const names = new Set(opcodes.map(({ name }) => name))
  const codes = new Set(opcodes.map(({ code }) => code))
  const plain = opcodes.filter(({ operands }) => operands !== undefined)
  const known = (wanted) => wanted.filter((name) => names.has(name))
  const isBinary = ({ name, operands, results }) => operands.length === 2 && results === 1 && name !== 'KECCAK256'
  return {
    opcodes,
    names,
    plain,
    leaves: known(LEAVES),
    unary: known(UNARY),
    binary: plain.filter(isBinary).map(({ name }) => name),
    hasPush0: names.has('PUSH0'),
    /** Bytes that are undefined opcodes in this fork, as digits. */
    undefined: Array.from({ length: 256 }, (_, code) => code)
      .filter((code) => !codes.has(code))
      .map((code) => code.toString(16).padStart(2, '0')),
  }
}

/** Writes one program. */
export class ProgramWriter {
  #choices
  #surroundings
  #operands
  #tokens = []
  #data = []
  #labels = 0
  /** Expected height of the stack. */
  #height = 0
  #plain
  #names
  #nesting

  /**
   * @param {import('./random.mjs').Choices} choices
   * @param {Surroundings} surroundings
   * @param {number} nesting depth of programs that create programs
   */
  constructor(choices, surroundings, nesting = 0) {
    const { vocabulary, addresses, blockNumber } = surroundings
    this.#choices = choices
    this.#surroundings = surroundings
    this.#nesting = nesting
    this.#names = vocabulary.names
    this.#plain = vocabulary.plain
    this.#operands = new Operands(choices, { ...vocabulary, addresses, blockNumber })
  }

  /** @returns {string[]} tokens */
  program(statements) {
    this.#block(statements, 0)
    this.#ending()
    return [...this.#tokens, ...this.#data]
  }

  /**
   * A program that returns code.
   * @returns {string[]} tokens
   */
  initProgram(runtime) {
    const choices = this.#choices
    this.#block(choices.below(4), 1)
    if (choices.chance(20)) {
      this.#ending()
      return [...this.#tokens, ...this.#data]
    }
    const first = choices.chance(6) ? 'ef' : ''
    this.#add(`SIZE ${runtime}`, `PUSH @${runtime}`, this.#operands.number(first === '' ? 0 : 1), 'CODECOPY')
    if (first !== '') this.#add('PUSH 0xef', this.#operands.number(0), 'MSTORE8')
    if (choices.chance(90)) this.#add(`SIZE ${runtime}`)
    else this.#add(this.#operands.number(choices.pick([0, 1, 33, 24_576, 24_577, 40_000])))
    this.#add(this.#operands.number(0), 'RETURN', `CODE ${runtime}`)
    return [...this.#tokens, ...this.#data]
  }

  #add(...tokens) {
    for (const token of tokens) this.#tokens.push(token)
  }

  #label() {
    return `l${this.#labels++}`
  }

  #block(statements, depth) {
    for (let i = 0; i < statements; i++) this.#statement(depth)
  }

  #statement(depth) {
    const nested = depth < MAX_DEPTH_OF_BLOCKS ? 1 : 0
    const creates = this.#nesting < 2 ? 1 : 0
    this.#choices.weighted([
      [50, () => this.#plainOpcode()],
      [8, () => this.#stackOpcode()],
      [7, () => this.#storage()],
      [10, () => this.#call()],
      [4, () => this.#precompile()],
      [4 * creates, () => this.#create()],
      [4 * nested, () => this.#loop(depth)],
      [1, () => this.#bulk()],
      [3, () => this.#arithmetic()],
      [0.4, () => this.#sweep()],
      [5 * nested, () => this.#forwardJump(depth)],
      [1, () => this.#badJump()],
      [1, () => this.#carelessOpcode()],
      [0.3, () => this.#overflow()],
      [0.7, () => this.#ending()],
    ])()
  }

  /** An opcode with operands, or with the present stack. */
  #plainOpcode() {
    const opcode = this.#choices.pick(this.#plain)
    if (opcode.name === 'RETURNDATACOPY') {
      this.#returnData()
      return
    }
    this.#apply(opcode.name, opcode.operands, opcode.results)
  }

  #apply(name, operands, results) {
    const choices = this.#choices
    for (const kind of [...operands].reverse()) {
      const reuses = kind === 'word' && this.#height > 0 && choices.chance(10)
      if (reuses) this.#add(`DUP${choices.between(1, Math.min(16, this.#height))}`)
      else this.#add(...this.#operands.of(kind))
      this.#height++
    }
    this.#add(name)
    this.#height += results - operands.length
    if (results > 0) this.#useResult()
  }

  /** Leaves a result on the stack, or writes it to memory or storage, where it is compared. */
  #useResult() {
    const choices = this.#choices
    if (choices.chance(35)) return
    this.#height--
    if (choices.chance(55)) this.#add(this.#operands.number(choices.below(5) * 32), 'MSTORE')
    else if (choices.chance(20)) this.#add(this.#operands.number(choices.below(4)), 'SSTORE')
    else this.#add('POP')
  }

  #stackOpcode() {
    const choices = this.#choices
    const isCareless = choices.chance(3)
    while (this.#height < 2 && !isCareless) {
      this.#add(...this.#operands.of('word'))
      this.#height++
    }
    const reach = isCareless ? 17 : Math.min(17, this.#height)
    if (choices.chance(50)) {
      this.#add(`DUP${choices.between(1, Math.min(16, reach))}`)
      this.#height++
    } else this.#add(`SWAP${choices.between(1, reach - 1)}`)
  }

  /** Writes to a few slots, so that all pairs of values occur. */
  #storage() {
    const choices = this.#choices
    const slot = this.#operands.number(choices.below(4))
    for (let i = choices.between(1, 3); i > 0; i--) {
      const isTransient = this.#names.has('TSTORE') && choices.chance(25)
      this.#add(...this.#operands.of('slotValue'), slot, isTransient ? 'TSTORE' : 'SSTORE')
      if (!choices.chance(30)) continue
      this.#add(slot, isTransient ? 'TLOAD' : 'SLOAD')
      this.#height++
      this.#useResult()
    }
  }

  #call() {
    const callees = this.#surroundings.callees
    const { addresses } = this.#surroundings
    const choices = this.#choices
    const address = choices.chance(80) ? choices.pick(callees) : choices.pick(addresses)
    const target = choices.chance(92) ? [`PUSH 0x${address}`] : this.#operands.address()
    if (choices.chance(30)) this.#apply('MSTORE', ['offset', 'word'], 0)
    this.#callTo(target, this.#operands.of('length'), this.#operands.of('offset'))
  }

  /** Calls a precompile with plausible input. */
  #precompile() {
    const choices = this.#choices
    const number = choices.pick(this.#surroundings.precompiles)
    const input = precompileInput(choices, number)
    const length = input.length / 2
    this.#copyData(input)
    const cut = choices.chance(15) ? choices.below(length + 34) : length
    this.#callTo([this.#operands.number(number)], [this.#operands.number(cut)], [this.#operands.number(0)])
  }

  /** Copies bytes to the start of memory. */
  #copyData(digits) {
    const label = this.#label()
    this.#data.push(`@${label}`, `DATA 0x${digits}`)
    this.#add(this.#operands.number(digits.length / 2), `PUSH @${label}`, this.#operands.number(0), 'CODECOPY')
  }

  /**
   * @param {string[]} target tokens
   * @param {string[]} length of the input
   * @param {string[]} offset of the input
   */
  #callTo(target, length, offset) {
    const choices = this.#choices
    const kinds = [
      [5, 'CALL'],
      [2, 'CALLCODE'],
      [3, 'DELEGATECALL'],
      [3, 'STATICCALL'],
    ]
    const kind = choices.weighted(kinds.filter(([, name]) => this.#names.has(name)))
    this.#add(...this.#operands.of('length'), ...this.#operands.of('offset'), ...length, ...offset)
    if (kind === 'CALL' || kind === 'CALLCODE') this.#add(...this.#value())
    this.#add(...target, ...this.#gas(), kind)
    this.#height++
    this.#useResult()
    if (this.#names.has('RETURNDATACOPY') && choices.chance(35)) this.#returnData()
  }

  #returnData() {
    const choices = this.#choices
    if (choices.chance(92)) {
      this.#add(
        'RETURNDATASIZE',
        this.#operands.number(0),
        this.#operands.number(choices.below(0x80)),
        'RETURNDATACOPY',
      )
    } else this.#apply('RETURNDATACOPY', ['offset', 'dataOffset', 'length'], 0)
  }

  #value() {
    const choices = this.#choices
    return choices.weighted([
      [60, () => [this.#operands.number(0)]],
      [30, () => [this.#operands.number(choices.between(1, 3))]],
      [5, () => [this.#operands.number(2 ** 40)]],
      [5, () => this.#operands.of('word')],
    ])()
  }

  #gas() {
    const choices = this.#choices
    return choices.weighted([
      [35, () => ['GAS']],
      [10, () => [this.#operands.number(choices.pick([0, 1, 700, 2300, 2301])), ...this.#maybeLess()]],
      [30, () => [this.#operands.number(choices.below(60_000))]],
      [8, () => [this.#operands.number(choices.below(3000)), 'GAS', 'SUB']],
      [8, () => [this.#operands.push('f'.repeat(choices.pick([8, 16, 64])))]],
      [4, () => this.#operands.of('word')],
    ])()
  }

  #maybeLess() {
    return this.#choices.chance(30) ? ['GAS', 'SUB'] : []
  }

  #create() {
    const choices = this.#choices
    const name = this.#initProgram()
    const isCreate2 = this.#names.has('CREATE2') && choices.chance(50)
    this.#data.push(`CODE ${name}`)
    this.#add(`SIZE ${name}`, `PUSH @${name}`, this.#operands.number(0), 'CODECOPY')
    if (isCreate2)
      this.#add(choices.chance(80) ? this.#operands.number(choices.below(2)) : `PUSH 0x${choices.digits(32)}`)
    if (choices.chance(92)) this.#add(`SIZE ${name}`, this.#operands.number(0))
    else this.#add(...this.#operands.of('length'), ...this.#operands.of('offset'))
    this.#add(...this.#value(), isCreate2 ? 'CREATE2' : 'CREATE')
    this.#height++
    if (choices.chance(40)) {
      this.#add('DUP1')
      this.#height++
      this.#useResult()
      this.#add(this.#operands.number(5 * 32), 'MSTORE')
      this.#height--
      this.#callTo([this.#operands.number(5 * 32), 'MLOAD'], [this.#operands.number(4)], [this.#operands.number(0)])
    } else this.#useResult()
  }

  #initProgram() {
    const { addProgram } = this.#surroundings
    const choices = this.#choices
    const writer = () => new ProgramWriter(choices, this.#surroundings, this.#nesting + 1)
    const runtime = addProgram(writer().program(choices.below(4)))
    return addProgram(writer().initProgram(runtime))
  }

  /** Counts down to zero. The counter is in memory, because the body may leave values on the stack. */
  #loop(depth) {
    const choices = this.#choices
    const label = this.#label()
    const counter = this.#operands.number(0xc0 + depth * 32)
    this.#add(this.#operands.number(choices.between(1, 6)), counter, 'MSTORE', `:${label}`)
    this.#block(choices.between(1, 3), depth + 1)
    this.#add(this.#operands.number(1), counter, 'MLOAD', 'SUB', 'DUP1', counter, 'MSTORE')
    this.#add(`PUSH @${label}`, 'JUMPI')
  }

  /** Difficult arithmetic operations whose results are combined into one. */
  #arithmetic() {
    const choices = this.#choices
    this.#add(this.#operands.limbs())
    for (let i = choices.between(2, 8); i > 0; i--) {
      const [name, operands] = choices.pick(ARITHMETIC)
      for (let n = 0; n < operands; n++) this.#add(choices.chance(85) ? this.#operands.limbs() : `DUP${n + 1}`)
      this.#add(name, choices.pick(['XOR', 'ADD', 'SUB']))
    }
    this.#height++
    this.#useResult()
  }

  /** Large return data, and memory that grows while it is retained. */
  #bulk() {
    const choices = this.#choices
    const length = choices.between(500, 16_000)
    const number = (value) => this.#operands.number(value)
    this.#add('GAS', number(choices.below(length)), 'MSTORE')
    this.#add(number(choices.below(64)), number(choices.below(length)), number(length), number(choices.below(32)))
    this.#add(number(0), number(4), 'GAS', 'CALL', 'POP')
    this.#add('GAS', number(choices.below(2 * length)), 'MSTORE')
    if (this.#names.has('RETURNDATACOPY')) {
      const part = choices.below(length)
      this.#add(number(part), number(choices.below(length - part)), number(choices.below(length)), 'RETURNDATACOPY')
    }
    this.#add(number(choices.below(2 * length)), number(0), 'KECCAK256')
    this.#height++
    this.#useResult()
  }

  /** Repeats an operation for many slots or addresses. */
  #sweep() {
    const choices = this.#choices
    const label = this.#label()
    const kinds = ['SLOAD', 'BALANCE', 'EXTCODESIZE', 'TLOAD'].filter((name) => this.#names.has(name))
    this.#add(this.#operands.number(choices.between(10, 200)), `:${label}`, 'DUP1', choices.pick(kinds), 'POP')
    this.#add(this.#operands.number(1), 'SWAP1', 'SUB', 'DUP1', `PUSH @${label}`, 'JUMPI')
    this.#height++
  }

  #forwardJump(depth) {
    const choices = this.#choices
    const label = this.#label()
    if (choices.chance(70)) this.#add(...this.#operands.of('word'), `PUSH @${label}`, 'JUMPI')
    else this.#add(`PUSH @${label}`, 'JUMP')
    const height = this.#height
    this.#block(choices.between(0, 2), depth + 1)
    this.#height = Math.min(height, this.#height)
    this.#add(`:${label}`)
  }

  /** Jumps to an invalid destination: into the data of a PUSH, to another opcode, or beyond the program. */
  #badJump() {
    const choices = this.#choices
    const label = this.#label()
    const condition = this.#choices.chance(50) ? this.#operands.of('word') : undefined
    if (condition !== undefined) this.#add(...condition)
    choices.weighted([
      [4, () => this.#add(`PUSH @${label}`)],
      [3, () => this.#add(this.#operands.number(choices.below(300)))],
      [2, () => this.#add(...this.#operands.of('word'))],
    ])()
    this.#add(condition === undefined ? 'JUMP' : 'JUMPI')
    this.#add(`DATA 0x${choices.pick(['60', '61', '7f', '01'])}`, `:${label}`)
  }

  /** An opcode that takes its operands from the stack, whether they are present or not. */
  #carelessOpcode() {
    const name = this.#choices.pick(this.#surroundings.vocabulary.opcodes).name
    if (/^PUSH[1-9]/.test(name)) this.#add(`PUSH 0x${this.#choices.digits(Number(name.slice(4)))}`)
    else this.#add(name)
  }

  #overflow() {
    const label = this.#label()
    const pushed = this.#choices.chance(50) ? 'DUP1' : 'GAS'
    this.#add('GAS', `:${label}`, pushed, `PUSH @${label}`, 'JUMP')
  }

  /** Ends with a number computed from memory and stack. */
  #witness() {
    const choices = this.#choices
    this.#add('MSIZE', this.#operands.number(0), 'KECCAK256')
    for (let i = Math.min(this.#height, 6); i > 0; i--) this.#add('XOR')
    if (choices.chance(20)) this.#add(this.#operands.number(0), this.#operands.number(0), 'LOG1')
    else this.#add(this.#operands.number(0), 'MSTORE', this.#operands.number(32), this.#operands.number(0), 'RETURN')
  }

  #ending() {
    const choices = this.#choices
    const data = () => [...this.#operands.of('length'), ...this.#operands.of('offset')]
    choices.weighted([
      [14, () => this.#add('STOP')],
      [18, () => this.#add(...data(), 'RETURN')],
      [26, () => this.#witness()],
      [14, () => this.#add(...data(), this.#names.has('REVERT') ? 'REVERT' : 'RETURN')],
      [10, () => this.#add(...this.#operands.address(), 'SELFDESTRUCT')],
      [4, () => this.#add('INVALID')],
      [2, () => this.#add(`DATA 0x${choices.pick(this.#surroundings.vocabulary.undefined)}`)],
      [2, () => this.#add(`DATA 0x${(CODE_OF.get('PUSH1') + choices.below(32)).toString(16)}`)],
      [8, () => {}],
    ])()
  }
}
