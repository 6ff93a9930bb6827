// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Logs as hardhat/console.sol does, and fails with a reason.
contract Probe {
    address private constant CONSOLE = 0x000000000000000000636F6e736F6c652e6c6f67;

    function greet() external {
        (bool ok, ) = CONSOLE.staticcall(abi.encodeWithSignature("log(string)", "hello from solidity"));
        require(ok);
    }

    function fail() external pure {
        revert("nothing to pay with");
    }
}
