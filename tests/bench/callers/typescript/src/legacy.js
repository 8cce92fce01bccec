const { withTax: taxed, total } = require("./money");
const orders = require("./orders");

module.exports.bill = function bill(prices) {
  return taxed(total(prices)); // -> src/money:withTax  -> src/money:total
};

exports.put = (order, store) => orders.place(order, store); // -> src/orders:place
