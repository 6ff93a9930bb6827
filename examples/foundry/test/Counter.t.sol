// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";

contract CounterTest {
    function test_counts() external {
        Counter counter = new Counter();
        counter.count();
        require(counter.number() == 1);
    }

    /// The state of the node: its first account has used some of its ether.
    function test_reads_the_node() external view {
        address first = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;
        require(first.balance > 0 && first.balance < 10_000 ether);
    }
}
