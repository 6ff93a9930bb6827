/**
 * `bigInt` for tracers: the functions and methods of the package big-integer on the engine's integers. The text runs in
 * the sandbox.
 * @see https://github.com/peterolson/BigInteger.js
 */
export const BIG_INTEGER: string = String.raw`
const { bigInt, bigInteger } = (() => {
  const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
  const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:e\+?(\d+))?$/i
  class BigInteger {
    constructor(value) { this.value = value }
    add(n) { return make(this.value + big(n)) }
    subtract(n) { return make(this.value - big(n)) }
    multiply(n) { return make(this.value * big(n)) }
    divide(n) { return make(this.value / divisor(n)) }
    mod(n) { return make(this.value % divisor(n)) }
    divmod(n) {
      const by = divisor(n)
      return { quotient: make(this.value / by), remainder: make(this.value % by) }
    }
    pow(n) {
      const exponent = big(n)
      if (exponent < 0n) return make(this.value === 1n ? 1n : this.value === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n)
      return make(this.value ** exponent)
    }
    modPow(n, m) {
      const modulus = big(m)
      if (modulus === 0n) throw new Error('Cannot take modPow with modulus 0')
      let exponent = big(n)
      let base = this.value % modulus
      if (exponent < 0n) {
        exponent = -exponent
        base = inverse(base, modulus)
      }
      return make(power(base, exponent, modulus))
    }
    modInv(m) { return make(inverse(this.value, big(m))) }
    negate() { return make(-this.value) }
    abs() { return make(absolute(this.value)) }
    square() { return make(this.value * this.value) }
    next() { return make(this.value + 1n) }
    prev() { return make(this.value - 1n) }
    and(n) { return make(this.value & big(n)) }
    or(n) { return make(this.value | big(n)) }
    xor(n) { return make(this.value ^ big(n)) }
    not() { return make(~this.value) }
    shiftLeft(n) { return make(this.value << big(n)) }
    shiftRight(n) { return make(this.value >> big(n)) }
    bitLength() {
      const value = this.value < 0n ? ~this.value : this.value
      return make(value === 0n ? 0n : BigInt(value.toString(2).length))
    }
    compare(n) {
      if (n === Infinity) return -1
      if (n === -Infinity) return 1
      const other = big(n)
      return this.value === other ? 0 : this.value > other ? 1 : -1
    }
    compareAbs(n) {
      if (n === Infinity || n === -Infinity) return -1
      return make(absolute(this.value)).compare(make(absolute(big(n))))
    }
    equals(n) { return this.compare(n) === 0 }
    notEquals(n) { return this.compare(n) !== 0 }
    greater(n) { return this.compare(n) > 0 }
    lesser(n) { return this.compare(n) < 0 }
    greaterOrEquals(n) { return this.compare(n) >= 0 }
    lesserOrEquals(n) { return this.compare(n) <= 0 }
    isZero() { return this.value === 0n }
    isUnit() { return absolute(this.value) === 1n }
    isEven() { return (this.value & 1n) === 0n }
    isOdd() { return (this.value & 1n) === 1n }
    isPositive() { return this.value > 0n }
    isNegative() { return this.value < 0n }
    isDivisibleBy(n) {
      const by = big(n)
      return by !== 0n && this.value % by === 0n
    }
    isPrime() { return isPrime(absolute(this.value)) }
    isProbablePrime() { return isPrime(absolute(this.value)) }
    toString(radix, alphabet) {
      const base = radix === undefined ? 10n : big(radix)
      if (alphabet === undefined && base >= 2n && base <= 36n) return this.value.toString(Number(base))
      const { value, isNegative } = digitsOf(this.value, base)
      const symbols = alphabet === undefined ? DIGITS : alphabet
      const text = value.map((digit) => (digit < symbols.length ? symbols[digit] : '<' + digit + '>')).join('')
      return (isNegative ? '-' : '') + text
    }
    toArray(radix) { return digitsOf(this.value, big(radix)) }
    toJSNumber() { return Number(this.value) }
    valueOf() { return Number(this.value) }
    toJSON() { return this.toString() }
  }
  const aliases = {
    plus: 'add', minus: 'subtract', times: 'multiply', over: 'divide', remainder: 'mod', compareTo: 'compare',
    eq: 'equals', neq: 'notEquals', gt: 'greater', lt: 'lesser', geq: 'greaterOrEquals', leq: 'lesserOrEquals',
  }
  for (const alias in aliases) BigInteger.prototype[alias] = BigInteger.prototype[aliases[alias]]

  const make = (value) => new BigInteger(value)
  const absolute = (value) => (value < 0n ? -value : value)
  const big = (n) => (n instanceof BigInteger ? n.value : read(n))
  const divisor = (n) => {
    const value = big(n)
    if (value === 0n) throw new Error('Cannot divide by zero')
    return value
  }
  const invalid = (n) => new Error('Invalid integer: ' + n)

  function read(n) {
    if (typeof n === 'bigint') return n
    if (typeof n === 'number') {
      if (!Number.isInteger(n)) throw new Error(n + ' is not an integer.')
      return BigInt(n)
    }
    const number = Number(n)
    if (Number.isSafeInteger(number)) return BigInt(number)
    const parts = DECIMAL.exec(n)
    if (parts === null) throw invalid(n)
    const [, sign, whole, fraction = '', exponent = '0'] = parts
    const zeros = Number(exponent) - fraction.length
    if (zeros < 0) throw invalid(n)
    const value = BigInt(whole + fraction) * 10n ** BigInt(zeros)
    return sign === '-' ? -value : value
  }

  function readIn(text, radix, alphabet, isCaseSensitive) {
    const base = big(radix)
    const symbols = alphabet === undefined ? DIGITS : alphabet
    const fold = (symbol) => (isCaseSensitive ? symbol : symbol.toLowerCase())
    const known = Array.from(symbols, fold)
    const given = String(text)
    const isNegative = given[0] === '-'
    const digits = []
    for (let i = isNegative || given[0] === '+' ? 1 : 0; i < given.length; i++) {
      if (given[i] === '<') {
        const end = given.indexOf('>', i)
        digits.push(BigInt(given.slice(i + 1, end)))
        i = end
        continue
      }
      const digit = known.indexOf(fold(given[i]))
      if (digit < 0) throw new Error(given[i] + ' is not a valid character')
      if (BigInt(digit) >= absolute(base)) throw new Error(given[i] + ' is not a valid digit in base ' + radix + '.')
      digits.push(BigInt(digit))
    }
    return joined(digits, base, isNegative)
  }

  function joined(digits, base, isNegative) {
    let value = 0n
    for (const digit of digits) value = value * base + digit
    return isNegative ? -value : value
  }

  function digitsOf(value, base) {
    if (base < 2n) throw new Error('Cannot convert nonzero numbers to base ' + base + '.')
    const digits = []
    for (let rest = absolute(value); rest > 0n; rest /= base) digits.push(Number(rest % base))
    return { value: digits.length === 0 ? [0] : digits.reverse(), isNegative: value < 0n }
  }

  function power(base, exponent, modulus) {
    let result = 1n
    let square = base
    for (let rest = exponent; rest > 0n; rest >>= 1n) {
      if (square === 0n) return 0n
      if (rest & 1n) result = (result * square) % modulus
      square = (square * square) % modulus
    }
    return result
  }

  function inverse(value, modulus) {
    let [t, nextT, r, nextR] = [0n, 1n, modulus, absolute(value)]
    while (nextR !== 0n) {
      const quotient = r / nextR
      ;[t, nextT] = [nextT, t - quotient * nextT]
      ;[r, nextR] = [nextR, r - quotient * nextR]
    }
    if (r !== 1n) throw new Error(value + ' and ' + modulus + ' are not co-prime')
    if (t < 0n) t += modulus
    return value < 0n ? -t : t
  }

  /** A trace may run again, so each run draws the same numbers. */
  let drawnBits = 0x9e3779b9
  function drawnUnit() {
    drawnBits ^= drawnBits << 13
    drawnBits ^= drawnBits >>> 17
    drawnBits ^= drawnBits << 5
    return (drawnBits >>> 0) / 2 ** 32
  }

  const WITNESSES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n]

  function isPrime(value) {
    if (value < 2n) return false
    for (const prime of WITNESSES) if (value % prime === 0n) return value === prime
    let odd = value - 1n
    let twos = 0
    for (; (odd & 1n) === 0n; odd >>= 1n) twos++
    return WITNESSES.every((witness) => {
      let x = power(witness, odd, value)
      if (x === 1n || x === value - 1n) return true
      for (let i = 1; i < twos; i++) {
        x = (x * x) % value
        if (x === value - 1n) return true
      }
      return false
    })
  }

  function gcd(a, b) {
    let [x, y] = [absolute(big(a)), absolute(big(b))]
    while (y !== 0n) [x, y] = [y, x % y]
    return x
  }

  function bigInt(n, radix, alphabet, isCaseSensitive) {
    if (n === undefined) return make(0n)
    if (typeof n !== 'string' && typeof n !== 'number' && typeof n !== 'bigint') return n
    const isDecimal = radix === undefined || (Number(radix) === 10 && alphabet === undefined)
    return make(isDecimal ? read(n) : readIn(n, radix, alphabet, isCaseSensitive))
  }
  bigInt.prototype = BigInteger.prototype
  for (let i = -999; i < 1000; i++) bigInt[i] = make(BigInt(i))
  bigInt.zero = bigInt[0]
  bigInt.one = bigInt[1]
  bigInt.minusOne = bigInt[-1]
  bigInt.max = (a, b) => (big(a) > big(b) ? bigInt(a) : bigInt(b))
  bigInt.min = (a, b) => (big(a) < big(b) ? bigInt(a) : bigInt(b))
  bigInt.gcd = (a, b) => make(gcd(a, b))
  bigInt.lcm = (a, b) => {
    const divisor = gcd(a, b)
    return make(divisor === 0n ? 0n : (absolute(big(a)) / divisor) * absolute(big(b)))
  }
  bigInt.isInstance = (n) => n instanceof BigInteger
  bigInt.randBetween = (a, b, random) => {
    const low = big(bigInt.min(a, b))
    const range = big(bigInt.max(a, b)) - low + 1n
    const unit = typeof random === 'function' ? random : drawnUnit
    let drawn = 0n
    for (let bound = 1n; bound < range << 32n; bound <<= 32n) drawn = (drawn << 32n) | BigInt(Math.floor(unit() * 2 ** 32))
    return make(low + (drawn % range))
  }
  bigInt.fromArray = (digits, base, isNegative) => make(joined(digits.map(big), big(base === undefined ? 10 : base), isNegative))
  return { bigInt, bigInteger: make }
})()
`
