"""Realistic small sources of the languages beyond the first nine, with what has to be read from them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sample:
    """`kinds` is qualified name → kind; `targets` is `receiver.name` → target; `within` is a call's name → who makes it;
    `above` is qualified name → text above the definition that its chunk holds."""

    language: str
    path: str
    text: str
    kinds: dict[str, str]
    targets: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, str, str]] = field(default_factory=list)
    docstrings: dict[str, str] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)


CSHARP = Sample(
    "csharp",
    "src/Store.cs",
    """using System;
using static System.Math;
using Json = Newtonsoft.Json.Linq;

namespace Shop.Orders
{
    /// <summary>Keeps orders.</summary>
    [Serializable]
    public sealed class Store<T> : Base<T>, IStore where T : class
    {
        private readonly IClock _clock;

        public Store(IClock clock) : base(clock) { _clock = clock; }

        public Audit Trail { get; set; }

        /// <summary>Saves <c>one</c> order.</summary>
        [Obsolete("old"), Route("/x[0]")]
        public async Task<int> SaveAsync(Order order, int n = 3)
        {
            var made = new Invoice();
            await made.ValidateAsync<int>(n);
            this.Check(order);
            Check(order)?.Run();
            order?.Close();
            _clock.Now();
            Trail.Write("x");
            int Local(int a) => a + 1;
            return Local(Math.Max(1, 2));
        }

        bool Check(Order o) => o is not null;
        public T this[int i] { get { return items[i]; } }
        public static Store<T> operator +(Store<T> a, Store<T> b) => a;
    }

    public interface IStore { void Close(); int Size { get; } }
    public enum Kind { A, B }
    public record Point(int X, int Y);
    public struct Pair { public int a; }
    public delegate void Handler(int x);
}
""",
    kinds={
        "Store": "class",
        "Store.Store": "method",
        "Store.Trail": "method",
        "Store.SaveAsync": "method",
        "Store.SaveAsync.Local": "function",
        "Store.Check": "method",
        "Store.this": "method",
        "Store.operator": "method",
        "IStore": "interface",
        "IStore.Close": "method",
        "IStore.Size": "method",
        "Kind": "enum",
        "Point": "class",
        "Pair": "class",
        "Handler": "type",
    },
    targets={
        "made.ValidateAsync": "Invoice.ValidateAsync",
        "this.Check": "Store.Check",
        "Check": "Store.Check",
        "Check(order).Run": "",  # a method's result, not a Check made
        "order.Close": "Order.Close",
        "_clock.Now": "IClock.Now",
        "Trail.Write": "Audit.Write",
        "Math.Max": "Math.Max",
        "Local": "Store.SaveAsync.Local",
    },
    imports=[("System", "*", ""), ("System.Math", "*", ""), ("Newtonsoft.Json", "Linq", "Json")],
    docstrings={"Store": "Keeps orders.", "Store.SaveAsync": "Saves one order."},
    signatures={
        "Store": "public sealed class Store<T> : Base<T>, IStore where T : class",
        "Store.SaveAsync": "public async Task<int> SaveAsync(Order order, int n = 3)",
    },
    bases={"Store": ("Base", "IStore")},
    within={"Now": "Store.SaveAsync", "Invoice": "Store.SaveAsync"},
    above={"Store": "[Serializable]", "Store.SaveAsync": "/// <summary>Saves"},
)

RUBY = Sample(
    "ruby",
    "lib/shop/store.rb",
    """require 'json'
require_relative "store/base"

# Keeps things.
#
# More words.
module Shop
  LIMIT = 3

  class Store < Base::Model
    include Enumerable, Comparable
    attr_reader :name, :size

    # Saves one.
    def save(item, deep: false)
      check?(item)
      self.check?(item)
      item.close
      @log = Logger.new
      @log.info "x"
      order = Shop::Order.new(1)
      Util.run(1) { |x| x.go }
      super
    end

    def self.open(path) = new(path)

    class << self
      def build; open(1); end
    end

    private

    def check?(a)
      a
    end

    def ==(other); true; end
    scope :active, -> { where(a: 1) }
    define_method(:foo) { bar(1) }
    private def hidden; end
  end

  module Util
    def self.run(x) = helper(x)
    def self.helper(x) = x
  end

  Point = Struct.new(:x) do
    def dist; x; end
  end
end

class Shop::Thing; end

get '/x' do
  erb :index
end
""",
    kinds={
        "Shop": "class",
        "Shop.LIMIT": "constant",
        "Shop.Store": "class",
        "Shop.Store.name": "method",
        "Shop.Store.size": "method",
        "Shop.Store.save": "method",
        "Shop.Store.open": "method",
        "Shop.Store.build": "method",
        "Shop.Store.check?": "method",
        "Shop.Store.==": "method",
        "Shop.Store.active": "method",
        "Shop.Store.foo": "method",
        "Shop.Store.hidden": "method",
        "Shop.Util.run": "method",
        "Shop.Point": "class",
        "Shop.Point.dist": "method",
        "Shop.Thing": "class",
    },
    targets={
        "check?": "Shop.Store.check?",
        "self.check?": "Shop.Store.check?",
        "item.close": "",
        "@log.info": "Logger.info",
        "Util.run": "Shop.Util.run",
        "helper": "Shop.Util.helper",
        "open": "Shop.Store.open",
        "erb": "",
    },
    imports=[("json", "", ""), ("./store/base", "", "")],
    docstrings={"Shop": "Keeps things.", "Shop.Store.save": "Saves one."},
    signatures={"Shop.Store.save": "def save(item, deep: false)", "Shop.Store": "class Store < Base::Model"},
    bases={"Shop.Store": ("Base.Model", "Enumerable", "Comparable"), "Shop": ()},
    within={"info": "Shop.Store.save", "bar": "Shop.Store.foo", "erb": ""},
    above={"Shop.Store.save": "# Saves one.", "Shop.Store.hidden": "private def hidden"},
)

PHP = Sample(
    "php",
    "src/Store.php",
    r"""<?php
declare(strict_types=1);
namespace App\Orders;

use App\Models\Order;
use App\Models\{User, Post as P};
use function App\Util\run;
require_once __DIR__ . '/lib.php';

/**
 * Keeps orders.
 *
 * @package App
 */
#[Attr(1)]
abstract class Store extends Base implements IStore, \Countable
{
    use Loggable;
    public const LIMIT = 3;
    private Order $order;

    public function __construct(private Clock $clock, protected ?User $user = null) { $this->log = new Logger(); }

    /** Saves one. */
    #[Route('/x', methods: ['GET'])]
    public function save(Order $o, $loose): int
    {
        $m = new \App\Models\Invoice();
        $m->validate();
        $this->check($o);
        self::make();
        run(1);
        \strlen("x");
        User::find(1)?->close();
        $this->clock->now();
        $this->order->pay();
        $this->user->name();
        $this->log->info("x");
        $loose->any();
        helper(1);
        return 1;
    }

    abstract protected function check(Order $o);
    public static function make() { return new static; }
}

interface IStore { public function save(Order $o): int; }
trait Loggable { public function log() {} }
enum Suit: string { case H = 'h'; public function label(): string { return 'x'; } }
function helper(int $x): int { return $x; }
const ZERO = 0;
""",
    kinds={
        "Store": "class",
        "Store.LIMIT": "constant",
        "Store.__construct": "method",
        "Store.save": "method",
        "Store.check": "method",
        "Store.make": "method",
        "IStore": "interface",
        "IStore.save": "method",
        "Loggable": "class",
        "Loggable.log": "method",
        "Suit": "enum",
        "Suit.label": "method",
        "helper": "function",
        "ZERO": "constant",
    },
    targets={
        "$m.validate": "App.Models.Invoice.validate",
        "$this.check": "Store.check",
        "self.make": "Store.make",
        "run": "App.Util.run",
        "User.find": "App.Models.User.find",
        "$this->clock.now": "Clock.now",
        "$this->order.pay": "App.Models.Order.pay",
        "$this->user.name": "App.Models.User.name",
        "$this->log.info": "Logger.info",
        "$loose.any": "",
        "helper": "helper",
    },
    imports=[
        ("App.Models", "Order", "Order"),
        ("App.Models", "User", "User"),
        ("App.Models", "Post", "P"),
        ("App.Util", "run", "run"),
        ("./lib.php", "", ""),
    ],
    docstrings={"Store": "Keeps orders.", "Store.save": "Saves one."},
    signatures={
        "Store": r"abstract class Store extends Base implements IStore, \Countable",
        "Store.save": "public function save(Order $o, $loose): int",
    },
    bases={"Store": ("Base", "IStore", "Countable", "Loggable")},
    within={"now": "Store.save", "Logger": "Store.__construct"},
    above={"Store": "#[Attr(1)]", "Store.save": "/** Saves one. */"},
)

KOTLIN = Sample(
    "kotlin",
    "src/main/kotlin/shop/Store.kt",
    """package shop.orders

import shop.models.Order
import shop.util.run as go
import shop.more.*

const val LIMIT = 3
typealias Handler = (Int) -> Unit

/** Keeps orders. */
@Entity(name = "store")
data class Store<T>(val clock: Clock, var name: String = "x") : Base(clock), IStore {
    private val log: Logger? = null
    val made = Invoice(1)

    constructor(x: Int) : this(Clock())

    /**
     * Saves one.
     * @param order what is saved
     */
    @Deprecated("x")
    override suspend fun save(order: Order, loose: Any): Int {
        check(order)
        this.check(order)
        order?.close()
        clock.now()
        log?.info("x")
        made.pay()
        val h = Helper()
        h.run { it.go() }
        return go(1)
    }

    private fun check(o: Order) = true

    companion object {
        const val SIZE = 1
        fun make(): Store = Store(1)
    }

    inner class Inner {
        fun deep() {}
    }
}

interface IStore {
    fun save(order: Order): Int
}

enum class Kind(val x: Int) {
    A(1), B(2);
    fun next() = 1
}

object Single : Base() {
    fun one() {}
}

fun String.shout(a: Int): String = this.trim()
""",
    kinds={
        "LIMIT": "constant",
        "Handler": "type",
        "Store": "class",
        "Store.constructor": "method",
        "Store.save": "method",
        "Store.check": "method",
        "Store.SIZE": "constant",
        "Store.make": "method",
        "Store.Inner": "class",
        "Store.Inner.deep": "method",
        "IStore": "interface",
        "IStore.save": "method",
        "Kind": "enum",
        "Kind.next": "method",
        "Single": "class",
        "Single.one": "method",
        "shout": "function",
    },
    targets={
        "check": "Store.check",
        "this.check": "Store.check",
        "order.close": "shop.models.Order.close",
        "clock.now": "Clock.now",
        "log.info": "Logger.info",
        "made.pay": "Invoice.pay",
        "h.run": "Helper.run",
        "it.go": "",
        "run": "shop.util.run",
        "Store": "Store",
    },
    imports=[("shop.models", "Order", "Order"), ("shop.util", "run", "go"), ("shop.more", "*", "")],
    docstrings={"Store": "Keeps orders.", "Store.save": "Saves one."},
    signatures={"Store.save": "override suspend fun save(order: Order, loose: Any): Int"},
    bases={"Store": ("Base", "IStore"), "Single": ("Base",)},
    within={"now": "Store.save"},
    above={"Store": "@Entity", "Store.save": "* Saves one."},
)

SOURCES = (CSHARP, RUBY, PHP, KOTLIN)
