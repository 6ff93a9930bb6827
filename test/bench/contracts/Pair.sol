// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IERC20 {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// A pool of two tokens whose product stays constant, with a fee of 0.3 %.
contract Pair {
    event Swap(address indexed sender, uint256 amountIn, uint256 amountOut, address indexed to);
    event Sync(uint112 reserve0, uint112 reserve1);

    IERC20 public token0;
    IERC20 public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private lastTimestamp;
    uint256 public price0Cumulative;
    uint256 public price1Cumulative;
    uint256 private unlocked;

    function swap(uint256 amountIn, address to) external returns (uint256 amountOut) {
        require(unlocked == 0, "locked");
        unlocked = 1;
        (uint112 before0, uint112 before1) = (reserve0, reserve1);
        require(token0.transferFrom(msg.sender, address(this), amountIn), "in");
        uint256 paid = amountIn * 997;
        amountOut = (paid * before1) / (uint256(before0) * 1000 + paid);
        require(amountOut > 0 && token1.transfer(to, amountOut), "out");
        uint256 balance0 = token0.balanceOf(address(this));
        uint256 balance1 = token1.balanceOf(address(this));
        uint256 adjusted = balance0 * 1000 - (balance0 - before0) * 3;
        require(adjusted * balance1 >= uint256(before0) * before1 * 1000, "K");
        update(balance0, balance1, before0, before1);
        emit Swap(msg.sender, amountIn, amountOut, to);
        unlocked = 0;
    }

    function update(uint256 balance0, uint256 balance1, uint112 before0, uint112 before1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "overflow");
        unchecked {
            uint32 passed = uint32(block.timestamp) - lastTimestamp;
            price0Cumulative += ((uint256(before1) << 112) / before0) * passed;
            price1Cumulative += ((uint256(before0) << 112) / before1) * passed;
        }
        (reserve0, reserve1, lastTimestamp) = (uint112(balance0), uint112(balance1), uint32(block.timestamp));
        emit Sync(reserve0, reserve1);
    }
}
