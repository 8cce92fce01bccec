export * from "./store";
export { default as open } from "./store";
export { roundUp as ceilPrice, withTax } from "./money";
export * as money from "./money";
