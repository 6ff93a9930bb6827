// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A token that makes many holders in one transaction.
contract FilledToken {
    mapping(address => uint256) public balanceOf;

    /// Gives 1 wei and `i + 1` tokens to each holder `i` from `first` up to `last`.
    function fill(uint256 first, uint256 last) external {
        for (uint256 i = first; i < last; i++) {
            address holder = address(uint160(uint256(keccak256(abi.encode(i, 7)))));
            balanceOf[holder] = i + 1;
            payable(holder).transfer(1);
        }
    }
}
