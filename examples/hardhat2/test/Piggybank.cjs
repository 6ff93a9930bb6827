const { expect } = require('chai')
const { ethers } = require('hardhat')
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers')

describe('Piggybank', () => {
  async function deploy() {
    const [owner, thief] = await ethers.getSigners()
    const bank = await ethers.deployContract('Piggybank', [3600], { value: 1000n })
    return { bank, owner, thief }
  }

  it('refuses the thief', async () => {
    const { bank, thief } = await loadFixture(deploy)
    await expect(bank.connect(thief).withdraw()).to.be.revertedWith('not the owner')
  })

  it('refuses the owner before the time', async () => {
    const { bank } = await loadFixture(deploy)
    await expect(bank.withdraw()).to.be.revertedWithCustomError(bank, 'TooEarly')
  })

  it('pays the owner afterwards', async () => {
    const { bank, owner } = await loadFixture(deploy)
    await time.increase(3600)
    await expect(bank.withdraw()).to.changeEtherBalance(owner, 1000n)
  })
})
