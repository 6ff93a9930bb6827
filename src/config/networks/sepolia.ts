import type { NetworkGenesis } from './networkGenesis.ts'

const MILLION_ETHER = { balance: '0xd3c21bcecceda1000000' }
const TEN_MILLION_ETHER = { balance: '0x84595161401484a000000' }
const HUNDRED_MILLION_ETHER = { balance: '0x52b7d2dcc80cd2e4000000' }

export const genesis: NetworkGenesis = {
  json: {
    config: {
      chainId: 11155111,
      londonBlock: 0,
      mergeNetSplitBlock: 1735371,
      terminalTotalDifficulty: '17000000000000000',
      shanghaiTime: 1677557088,
      cancunTime: 1706655072,
      pragueTime: 1741159776,
      osakaTime: 1760427360,
      bpo1Time: 1761017184,
      bpo2Time: 1761607008,
      depositContractAddress: '0x7f02c3e3c98b133055b8b348b2ac625669ed295d',
      ethash: {},
    },
    timestamp: '0x6159af19',
    extraData: '0x5365706f6c69612c20417468656e732c204174746963612c2047726565636521',
    gasLimit: '0x1c9c380',
    difficulty: '0x20000',
    alloc: {
      a2a6d93439144ffe4d27c9e088dcd8b783946263: MILLION_ETHER,
      bc11295936aa79d594139de1b2e12629414f3bdb: MILLION_ETHER,
      '7cf5b79bfe291a67ab02b393e456ccc4c266f753': MILLION_ETHER,
      aaec86394441f915bce3e6ab399977e9906f3b69: MILLION_ETHER,
      f47cae1cf79ca6758bfc787dbd21e6bdbe7112b8: MILLION_ETHER,
      d7eddb78ed295b3c9629240e8924fb8d8874ddd8: MILLION_ETHER,
      '8b7f0977bb4f0fbe7076fa22bc24aca043583f5e': MILLION_ETHER,
      e2e2659028143784d557bcec6ff3a0721048880a: MILLION_ETHER,
      d9a5179f091d85051d3c982785efd1455cec8699: MILLION_ETHER,
      beef32ca5b9a198d27b4e02f4c70439fe60356cf: MILLION_ETHER,
      '0000006916a87b82333f4245046623b23794c65c': TEN_MILLION_ETHER,
      b21c33de1fab3fa15499c62b59fe0cc3250020d1: HUNDRED_MILLION_ETHER,
      '10f5d45854e038071485ac9e402308cf80d2d2fe': HUNDRED_MILLION_ETHER,
      d7d76c58b3a519e9fa6cc4d22dc017259bc49f1e: HUNDRED_MILLION_ETHER,
      '799d329e5f583419167cd722962485926e338f4a': { balance: '0xde0b6b3a7640000' },
    },
  },
}
