/** The gas limit of the next block: moves towards the target by less than 1/1024 of the parent's. */
export function nextGasLimit(parentGasLimit: bigint, target: bigint | undefined): bigint {
  if (target === undefined) return parentGasLimit
  const step = parentGasLimit / 1024n - 1n
  if (target > parentGasLimit) return target < parentGasLimit + step ? target : parentGasLimit + step
  return target > parentGasLimit - step ? target : parentGasLimit - step
}
