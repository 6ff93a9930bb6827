import { describe, it } from 'node:test'
import { network } from 'hardhat'
import PiggybankModule from '../ignition/modules/Piggybank.ts'

describe('Piggybank', async () => {
  const { viem, ignition, networkHelpers } = await network.create()
  const [, thief] = await viem.getWalletClients()

  async function deploy() {
    return viem.deployContract('Piggybank', [3600n], { value: 1000n })
  }

  it('refuses the thief', async () => {
    const bank = await networkHelpers.loadFixture(deploy)
    await viem.assertions.revertWith(bank.write.withdraw({ account: thief.account }), 'not the owner')
  })

  it('refuses the owner before the time', async () => {
    const bank = await networkHelpers.loadFixture(deploy)
    await viem.assertions.revertWithCustomError(bank.write.withdraw(), bank, 'TooEarly')
  })

  it('pays the owner afterwards', async () => {
    const { bank } = await ignition.deploy(PiggybankModule)
    await networkHelpers.time.increase(3600)
    await viem.assertions.balancesHaveChanged(bank.write.withdraw(), [{ address: bank.address, amount: -1000n }])
  })
})
