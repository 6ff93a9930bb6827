import { beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../../src/config/forks.ts'
import { loadPrecompiles } from '../../../../src/evm/precompiles/index.ts'
import { answer } from './support.ts'

beforeAll(() => loadPrecompiles(forkRules('osaka')))

/** EIP-2537 pads every field element to 64 bytes. */
const padded = (...elements: string[]): string => elements.map((hex) => hex.padStart(128, '0')).join('')

describe('the test vectors of EIP-2537', () => {
  it.each([
    [
      padded('156c8a6a2c184569d69a76be144b5cdc5141d2d2ca4fe341f011e25e3969c55ad9e9b9ce2eb833c81a908e5fa4ac5f03'),
      padded(
        '184bb665c37ff561a89ec2122dd343f20e0f4cbcaec84e3c3052ea81d1834e192c426074b02ed3dca4e7676ce4ce48ba',
        '04407b8d35af4dacc809927071fc0405218f1401a6d15af775810e4e460064bcc9468beeba82fdc751be70476c888bf3',
      ),
    ],
    [
      padded('147e1ed29f06e4c5079b9d14fc89d2820d32419b990c1c7bb7dbea2a36a045124b31ffbde7c99329c05c559af1c6cc82'),
      padded(
        '9769f3ab59bfd551d53a5f846b9984c59b97d6842b20a2c565baa167945e3d026a3755b6345df8ec7e6acb6868ae6d',
        '1532c00cf61aa3d0ce3e5aa20c3b531a2abd2c770a790a2613818303c6b830ffc0ecf6c357af3317b9575c567f11cd2c',
      ),
    ],
    [
      padded('04090815ad598a06897dd89bcda860f25837d54e897298ce31e6947378134d3761dc59a572154963e8c954919ecfa82d'),
      padded(
        '1974dbb8e6b5d20b84df7e625e2fbfecb2cdb5f77d5eae5fb2955e5ce7313cae8364bc2fff520a6c25619739c6bdcb6a',
        '15f9897e11c6441eaa676de141c8d83c37aab8667173cbe1dfd6de74d11861b961dccebcd9d289ac633455dfcc7013a3',
      ),
    ],
  ])('BLS12_MAP_FP_TO_G1 %#', (input, output) => {
    expect(answer('BLS12_MAP_FP_TO_G1', hexToBytes(input))).toEqual({ gas: 5500n, output })
  })

  it.each([
    ['empty', ''],
    ['short', padded('1').slice(2)],
    ['long', `00${padded('1')}`],
    ['top bytes', `10${padded('1').slice(2)}`],
    [
      'not reduced',
      padded('2f6d9c5465982c0421b61e74579709b3b5b91e57bdd4f6015742b4ff301abb7ef895b9cce00c33c7d48f8e5fa4ac09ae'),
    ],
  ])('BLS12_MAP_FP_TO_G1 refuses: %s', (_, input) => {
    expect(answer('BLS12_MAP_FP_TO_G1', hexToBytes(input))).toBeUndefined()
  })

  it.each([
    [
      padded(
        '07355d25caf6e7f2f0cb2812ca0e513bd026ed09dda65b177500fa31714e09ea0ded3a078b526bed3307f804d4b93b04',
        '02829ce3c021339ccb5caf3e187f6370e1e2a311dec9b75363117063ab2015603ff52c3d3b98f19c2f65575e99e8b78c',
      ),
      padded(
        'e7f4568a82b4b7dc1f14c6aaa055edf51502319c723c4dc2688c7fe5944c213f510328082396515734b6612c4e7bb7',
        '126b855e9e69b1f691f816e48ac6977664d24d99f8724868a184186469ddfd4617367e94527d4b74fc86413483afb35b',
        '0caead0fd7b6176c01436833c79d305c78be307da5f6af6c133c47311def6ff1e0babf57a0fb5539fce7ee12407b0a42',
        '1498aadcf7ae2b345243e281ae076df6de84455d766ab6fcdaad71fab60abb2e8b980a440043cd305db09d283c895e3d',
      ),
    ],
    [
      padded(
        '138879a9559e24cecee8697b8b4ad32cced053138ab913b99872772dc753a2967ed50aabc907937aefb2439ba06cc50c',
        '0a1ae7999ea9bab1dcc9ef8887a6cb6e8f1e22566015428d220b7eec90ffa70ad1f624018a9ad11e78d588bd3617f9f2',
      ),
      padded(
        '108ed59fd9fae381abfd1d6bce2fd2fa220990f0f837fa30e0f27914ed6e1454db0d1ee957b219f61da6ff8be0d6441f',
        '0296238ea82c6d4adb3c838ee3cb2346049c90b96d602d7bb1b469b905c9228be25c627bffee872def773d5b2a2eb57d',
        '033f90f6057aadacae7963b0a0b379dd46750c1c94a6357c99b65f63b79e321ff50fe3053330911c56b6ceea08fee656',
        '153606c417e59fb331b7ae6bce4fbf7c5190c33ce9402b5ebe2b70e44fca614f3f1382a3625ed5493843d0b0a652fc3f',
      ),
    ],
  ])('BLS12_MAP_FP2_TO_G2 %#', (input, output) => {
    expect(answer('BLS12_MAP_FP2_TO_G2', hexToBytes(input))).toEqual({ gas: 23_800n, output })
  })
})
