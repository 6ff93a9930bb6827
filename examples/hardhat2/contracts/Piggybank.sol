// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "hardhat/console.sol";

/// Keeps deposits until a time; only the owner can withdraw them.
contract Piggybank {
    error TooEarly(uint256 unlockTime);

    address public immutable owner = msg.sender;
    uint256 public immutable unlockTime;

    constructor(uint256 secondsLocked) payable {
        unlockTime = block.timestamp + secondsLocked;
    }

    function withdraw() external {
        require(msg.sender == owner, "not the owner");
        if (block.timestamp < unlockTime) revert TooEarly(unlockTime);
        console.log("paying out %d wei", address(this).balance);
        payable(owner).transfer(address(this).balance);
    }
}
