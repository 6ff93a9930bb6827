// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Calls the code that its slot of EIP-1967 names.
contract Proxy {
    bytes32 private constant IMPLEMENTATION = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);

    constructor(address implementation, bytes memory setUp) {
        bytes32 slot = IMPLEMENTATION;
        assembly {
            sstore(slot, implementation)
        }
        (bool success, ) = implementation.delegatecall(setUp);
        require(success, "set up");
    }

    fallback() external payable {
        bytes32 slot = IMPLEMENTATION;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) {
                revert(0, returndatasize())
            }
            return(0, returndatasize())
        }
    }
}

/// A token that can be paused and whose owner can block accounts; it is used behind a proxy.
contract Coin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    address public owner;
    bool public isPaused;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isBlocked;

    function setUp(address holder) external {
        require(owner == address(0), "is set up");
        owner = msg.sender;
        balanceOf[holder] = 1e30;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        require(!isPaused && !isBlocked[from] && !isBlocked[to], "not allowed");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Keeps prices of a pool in a ring.
contract Oracle {
    struct Observation {
        uint64 time;
        uint192 total;
    }

    uint256 public last;
    uint256 public size = 8;
    mapping(uint256 => Observation) public observations;

    constructor() {
        for (uint256 i = 0; i < size; i++) observations[i] = Observation(1, uint192(i + 1));
    }

    function observe(uint256 price) external {
        Observation storage before = observations[last];
        uint256 passed = block.timestamp - before.time;
        last = (last + 1) % size;
        observations[last] = Observation(uint64(block.timestamp), uint192(before.total + price * passed));
    }
}

/// Says which pools exist, and their fees.
contract Registry {
    mapping(bytes32 => address) public poolOf;
    mapping(address => uint256) public feeOf;
    address public feeReceiver;
    bool public isStopped;

    constructor(address receiver) {
        feeReceiver = receiver;
    }

    function add(Coin coin0, Coin coin1, Pool pool, uint256 fee) external {
        poolOf[keccak256(abi.encode(coin0, coin1))] = address(pool);
        feeOf[address(pool)] = fee;
    }
}

/// A pool of two tokens with liquidity in ranges.
contract Pool {
    Coin public coin0;
    Coin public coin1;
    Registry public registry;
    Oracle public oracle;
    uint256 public reserve0;
    uint256 public reserve1;
    uint256 public feeGrowth;
    uint256 public ownFees;
    uint256 private lock;
    mapping(uint256 => uint256) public ranges;

    constructor(Coin coinIn, Coin coinOut, Registry names) {
        (coin0, coin1, registry, oracle) = (coinIn, coinOut, names, new Oracle());
        (reserve0, reserve1) = (1e24, 1e24);
        for (uint256 i = 0; i < 4; i++) ranges[i] = 1e18;
    }

    function swap(uint256 amountIn, address to) external returns (uint256 amountOut) {
        require(lock == 0, "locked");
        lock = 1;
        uint256 paid = (amountIn * (10_000 - registry.feeOf(address(this)))) / 10_000;
        uint256 liquidity = 0;
        for (uint256 i = 0; i < 4; i++) liquidity += ranges[i];
        amountOut = (paid * reserve1) / (reserve0 + paid);
        coin0.transferFrom(msg.sender, address(this), amountIn);
        coin1.transfer(to, amountOut);
        (reserve0, reserve1) = (reserve0 + amountIn, reserve1 - amountOut);
        feeGrowth += ((amountIn - paid) << 64) / liquidity;
        ownFees += (amountIn - paid) / 6;
        oracle.observe((reserve1 << 64) / reserve0);
        lock = 0;
    }
}

contract Router {
    Registry public registry;
    uint256 public swaps;

    constructor(Registry names) {
        registry = names;
    }

    /// Swaps the first token into the last one, by the pools between neighbours.
    function swap(Coin[] calldata path, uint256 amount) external returns (uint256) {
        require(!registry.isStopped() && registry.feeReceiver() != address(0), "stopped");
        swaps++;
        path[0].transferFrom(msg.sender, address(this), amount);
        for (uint256 i = 0; i + 1 < path.length; i++) {
            Pool pool = Pool(registry.poolOf(keccak256(abi.encode(path[i], path[i + 1]))));
            path[i].approve(address(pool), amount);
            amount = pool.swap(amount, i + 2 == path.length ? msg.sender : address(this));
        }
        return amount;
    }
}

/// Deploys everything for a holder of the tokens: four tokens behind proxies, three pools with their oracles.
contract Market {
    Router public router;
    Coin[] public path;
    Pool[] public pools;

    constructor() {
        Registry registry = new Registry(msg.sender);
        router = new Router(registry);
        Coin[2] memory implementations = [new Coin(), new Coin()];
        for (uint256 i = 0; i < 4; i++) {
            bytes memory setUp = abi.encodeCall(Coin.setUp, (address(this)));
            path.push(Coin(address(new Proxy(address(implementations[i % 2]), setUp))));
        }
        for (uint256 i = 0; i < 3; i++) {
            Pool pool = new Pool(path[i], path[i + 1], registry);
            registry.add(path[i], path[i + 1], pool, 30);
            path[i + 1].transfer(address(pool), 1e24);
            pools.push(pool);
        }
        path[0].transfer(msg.sender, 1e24);
    }
}

/// Uses much gas: arithmetic, storage, hashes, logs and calls.
contract Work {
    event Round(uint256 indexed round, uint256 sum);

    mapping(uint256 => uint256) public entries;

    function run(uint256 gasAtEnd) external returns (uint256 sum) {
        for (uint256 round = 1; gasleft() > gasAtEnd; round++) {
            sum = ((sum ^ round) * 31 + ((sum >> 3) & 0xffff)) % 1000003;
            if (round % 8 == 0) sum ^= uint256(keccak256(abi.encode(sum, round))) & 0xff;
            if (round % 64 == 0) entries[round % 512] = sum;
            if (round % 256 == 0) sum = this.scaled(sum);
            if (round % 4096 == 0) emit Round(round, sum);
        }
    }

    function scaled(uint256 value) external pure returns (uint256) {
        return (value * 3) / 2;
    }
}
