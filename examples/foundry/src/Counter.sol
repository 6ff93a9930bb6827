// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Counter {
    event Counted(address indexed by, uint256 number);

    uint256 public number;

    function count() external {
        number += 1;
        emit Counted(msg.sender, number);
    }
}
