/** Plausible input for precompiles: the right shape, and sometimes valid points and keys. */

const word = (number) => number.toString(16).padStart(64, '0')

/** From the examples of go-ethereum and the EIPs. */
const RECOVERABLE =
  '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c' +
  '000000000000000000000000000000000000000000000000000000000000001c' +
  '73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f' +
  'eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549'
const BN254_GENERATOR = word(1) + word(2)

/**
 * @param {import('./random.mjs').Choices} choices
 * @param {number} number of the precompile
 * @returns {string} digits
 */
export function precompileInput(choices, number) {
  if (choices.chance(20)) return choices.digits(choices.pick([1, 4, 32, 64, 96, 128, 192, 213]))
  switch (number) {
    case 0x01:
      return recovery(choices)
    case 0x05:
      return modexp(choices)
    case 0x06:
      return point(choices) + point(choices)
    case 0x07:
      return point(choices) + choices.digits(32)
    case 0x08:
      return choices.chance(50) ? '' : '00'.repeat(192 * choices.between(1, 2))
    case 0x09:
      return blake(choices)
    case 0x0b:
      return '00'.repeat(256)
    case 0x0d:
      return '00'.repeat(512)
    case 0x100:
      return choices.digits(160)
    default:
      return choices.digits(choices.between(1, 96))
  }
}

function recovery(choices) {
  if (choices.chance(40)) return RECOVERABLE
  return choices.digits(32) + word(choices.pick([26, 27, 28, 29])) + choices.digits(64)
}

function modexp(choices) {
  const lengths = [0, 0, 0].map(() => choices.pick([0, 1, 2, 8, 31, 32, 33]))
  if (choices.chance(5)) lengths[choices.below(3)] = choices.pick([0xffffffff, 2 ** 40, 4096, 1025])
  const data = lengths.map((length) => choices.digits(Math.min(length, 64))).join('')
  return lengths.map(word).join('') + data
}

function point(choices) {
  return choices.weighted([
    [3, BN254_GENERATOR],
    [2, '00'.repeat(64)],
    [1, word(choices.below(5)) + word(choices.below(5))],
  ])
}

function blake(choices) {
  const rounds = choices.between(0, 20).toString(16).padStart(8, '0')
  return rounds + choices.digits(64 + 128 + 16) + choices.pick(['00', '01', '01', '02'])
}
