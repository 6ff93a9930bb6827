// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";

interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
}

contract Deploy {
    Vm private constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bool public IS_SCRIPT = true;

    function run() external returns (Counter counter) {
        VM.startBroadcast();
        counter = new Counter();
        VM.stopBroadcast();
    }
}
