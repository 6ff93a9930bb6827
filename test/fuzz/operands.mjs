/** Tokens that push one value of a kind that is meaningful for the consuming opcode. */

const MAX_WORD = 'f'.repeat(64)
const SIGN_BIT = `80${'0'.repeat(62)}`
const LARGEST_SIGNED = `7f${'f'.repeat(62)}`

/** Values beyond, or just within, the reach of memory, data and counts. */
const ABSURD = [
  'ffff',
  '1fffe0',
  '7fffffff',
  '80000000',
  'ffffffe0',
  'ffffffff',
  '0100000000',
  '7fffffffffffffff',
  'ffffffffffffffe0',
  'ffffffffffffffff',
  '010000000000000000',
  SIGN_BIT,
  MAX_WORD,
]
const WORDS = ['00', '01', '02', '1f', '20', '5b', '60', 'ff', '0100', 'ffffffffffffffff', SIGN_BIT, MAX_WORD]
/** undefined for random limbs. */
const LIMBS = [
  '0000000000000000',
  '0000000000000001',
  '00000000ffffffff',
  '0000000100000000',
  '7fffffffffffffff',
  '8000000000000000',
  '8000000000000001',
  'ffffffff00000000',
  'fffffffffffffffe',
  'ffffffffffffffff',
  undefined,
  undefined,
]
const NUMBERS_OF_BITS = [0, 1, 7, 8, 31, 32, 63, 64, 65, 127, 128, 192, 255, 256, 257]

export class Operands {
  #choices
  #context

  /**
   * @param {import('./random.mjs').Choices} choices
   * @param {{ leaves: string[], unary: string[], binary: string[], hasPush0: boolean, addresses: string[], blockNumber: number }} context
   */
  constructor(choices, context) {
    this.#choices = choices
    this.#context = context
  }

  /** @returns {string[]} tokens */
  of(kind, depth = 0) {
    const choices = this.#choices
    switch (kind) {
      case 'offset':
        return this.place(0xa0, depth)
      case 'length':
        return choices.chance(15) ? [this.push('00')] : this.place(0x60, depth)
      case 'dataOffset':
        return this.place(0x60, depth)
      case 'slot':
        return choices.chance(92) ? [this.number(choices.below(4))] : this.of('word', depth + 1)
      case 'slotValue':
        return choices.chance(80) ? [this.number(choices.below(3))] : this.of('word', depth + 1)
      case 'small':
        return choices.chance(80) ? [this.number(this.#smallNumber())] : this.of('word', depth + 1)
      case 'number':
        return choices.chance(70) ? [this.number(this.#blockNumber())] : this.of('word', depth + 1)
      case 'address':
        return this.address()
      default:
        return this.#word(depth)
    }
  }

  /** A constant, given by its digits. */
  push(digits) {
    if (/^0*$/.test(digits) && this.#context.hasPush0 && this.#choices.chance(50)) return 'PUSH 0x'
    return `PUSH 0x${digits}`
  }

  /** A constant, given by its value. */
  number(value) {
    const digits = value.toString(16)
    return this.push(digits.length % 2 === 0 ? digits : `0${digits}`)
  }

  /** An offset or a length: mostly small, sometimes absurd. */
  place(usual, depth = 0) {
    const choices = this.#choices
    return choices.weighted([
      [80, () => [this.number(choices.below(usual))]],
      [15, () => [this.number(choices.below(usual / 32) * 32)]],
      [3, () => [this.number(choices.below(0x1000))]],
      [0.8, () => [this.push(choices.pick(ABSURD))]],
      [0.8, () => this.#word(depth + 1)],
    ])()
  }

  address() {
    const choices = this.#choices
    const address = choices.pick(this.#context.addresses)
    if (choices.chance(5)) return ['ADDRESS']
    if (choices.chance(2)) return this.#word(1)
    // Bytes above the 20 of the address are ignored.
    if (choices.chance(3)) return [`PUSH 0x${choices.digits(12)}${address}`]
    return [`PUSH 0x${address.replace(/^(?:00)+(?=..)/, '')}`]
  }

  /** A number whose 64-bit limbs provoke errors in carries and quotient estimates. */
  limbs() {
    const choices = this.#choices
    let digits = ''
    for (let i = choices.between(1, 4); i > 0; i--) digits += choices.pick(LIMBS) ?? choices.digits(8)
    return `PUSH 0x${digits}`
  }

  #word(depth) {
    const choices = this.#choices
    const { leaves, unary, binary } = this.#context
    const nested = depth < 3 ? 1 : 0
    return choices.weighted([
      [30, () => [this.push(choices.pick(WORDS))]],
      [4, () => [`PUSH 0x${LARGEST_SIGNED}`]],
      [12, () => [this.push(choices.digits(choices.between(1, 32)))]],
      [12, () => [this.limbs()]],
      [4, () => [`PUSH 0x${'5b'.repeat(choices.between(1, 32))}`]],
      [16, () => [choices.pick(leaves)]],
      [8 * nested, () => [...this.#word(depth + 1), choices.pick(unary)]],
      [14 * nested, () => [...this.#word(depth + 1), ...this.#word(depth + 1), choices.pick(binary)]],
      [5 * nested, () => [...this.of('slot', depth + 1), 'SLOAD']],
      [5 * nested, () => [...this.of('offset', depth + 1), 'MLOAD']],
      [5 * nested, () => [...this.of('dataOffset', depth + 1), 'CALLDATALOAD']],
    ])()
  }

  #smallNumber() {
    const choices = this.#choices
    return choices.chance(50) ? choices.below(34) : choices.pick(NUMBERS_OF_BITS)
  }

  #blockNumber() {
    const { blockNumber } = this.#context
    return Math.max(0, blockNumber + this.#choices.pick([-300, -257, -256, -255, -2, -1, 0, 1]))
  }
}
