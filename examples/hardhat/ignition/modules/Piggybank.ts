import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'

export default buildModule('PiggybankModule', (m) => ({
  bank: m.contract('Piggybank', [m.getParameter('secondsLocked', 3600n)], { value: 1000n }),
}))
