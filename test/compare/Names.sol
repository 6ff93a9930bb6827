// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Answers as the contracts do that clients expect on a chain: ENS's universal resolver, a wallet with signatures of
/// EIP-1271 and a domain of EIP-5267, and a wallet that executes calls (EIP-7821).
contract Names {
    event Executed(bytes32 mode, address sender);

    /// Every name has this address, and every text record is a picture.
    function resolveWithGateways(bytes calldata, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory, address)
    {
        bool isText = bytes4(data[:4]) == bytes4(keccak256("text(bytes32,string)"));
        return (isText ? abi.encode("data:image/png;base64,AA==") : abi.encode(address(this)), address(this));
    }

    function reverseWithGateways(bytes calldata, uint256, string[] calldata)
        external
        view
        returns (string memory, address, address)
    {
        return ("dev.eth", address(this), address(this));
    }

    function findResolver(bytes calldata) external view returns (address, bytes32, uint256) {
        return (address(this), bytes32(0), 0);
    }

    function isValidSignature(bytes32, bytes calldata signature) external pure returns (bytes4) {
        return signature.length == 33 ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (hex"0f", "Names", "1", block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    function supportsExecutionMode(bytes32) external pure returns (bool) {
        return true;
    }

    function execute(bytes32 mode, bytes calldata) external payable {
        emit Executed(mode, msg.sender);
    }
}
