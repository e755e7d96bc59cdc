"""The same shop with one customer, cust500@shop.test, who has 500 orders."""
from shop.seed import main

if __name__ == "__main__":
    main([("cust500", 500)])
