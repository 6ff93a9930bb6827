/** Calls of precompiles that take as long as a call may. */

const word = (value) => `0x${value.toString(16).padStart(64, '0')}`
const address = (value) => `0x${value.toString(16).padStart(40, '0')}`

/** A contract in a state override that repeats its input in memory and passes it to a precompile, with all its gas. */
function precompileCall(number, input, count) {
  const push = (value) => {
    const digits = value.toString(16)
    const even = digits.length % 2 === 0 ? digits : `0${digits}`
    return (0x5f + even.length / 2).toString(16) + even
  }
  const bytes = input.length / 2
  // CALLDATACOPY once, then each MCOPY doubles what is in memory.
  let code = `36${push(0)}${push(0)}37`
  let filled = 1
  for (; filled * 2 <= count; filled *= 2) code += `${push(filled * bytes)}${push(0)}${push(filled * bytes)}5e`
  // STATICCALL with GAS, then the result.
  code += `${push(0)}${push(0)}${push(filled * bytes)}${push(0)}${push(number)}5afa${push(0)}52${push(32)}${push(0)}f3`
  return {
    call: { to: address(0xe1), data: `0x${input}`, gas: '0x5f5e100' },
    overrides: { [address(0xe1)]: { code: `0x${code}` } },
  }
}

const padded = (digits) => digits.padStart(128, '0')
const g1 =
  padded('17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb') +
  padded('08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1')
const g2 =
  padded('024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8') +
  padded('13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e') +
  padded('0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801') +
  padded('0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be')
const bn =
  word(1).slice(2) +
  word(2).slice(2) +
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa'
const lengths = [1024, 200, 1024].map((length) => word(length).slice(2)).join('')
/** The longest calls of precompiles that 100 million gas pay for: parameters of eth_call. */
export const WORST_PRECOMPILES = {
  'pairing over BLS12-381': precompileCall(15, g1 + g2, 2048),
  G1MSM: precompileCall(12, g1 + 'ff'.repeat(32), 8192),
  'pairing over BN254': precompileCall(8, bn, 2048),
  MODEXP: precompileCall(5, `${lengths}${'a5'.repeat(1024)}${'ff'.repeat(200)}${'b7'.repeat(1024)}`, 1),
  BLAKE2F: precompileCall(9, `05d00000${'00'.repeat(209)}`, 1),
}
